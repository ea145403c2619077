import { expect, test } from 'vitest';
import { interleavedSamples, isWarm } from './samples.ts';

/** Samples take one second, so a server is warm after four samples with the same cost. */
const times = { rounds: 3, sampleMs: 1_000 };

test('samples count once each server was warm, and until then all are sampled in turn', async () => {
  const order: string[] = [];
  const server = (name: string, costOf: (at: number) => number) => {
    let at = 0;
    return async () => {
      order.push(name);
      return costOf(at++);
    };
  };
  const halvingUntil20 = (at: number): number => Math.max(20, 1_000 / 2 ** at);
  const [steady, late] = await interleavedSamples(
    [server('A', (at) => 10 + at / 1e6), server('B', halvingUntil20)],
    times,
  );
  expect(late).toEqual([20, 20, 20]);
  expect(steady).toEqual([10, 11, 12].map((at) => 10 + at / 1e6));
  expect(order.join('')).toBe('ABBA'.repeat(6) + 'AB');
});

test('a server that was warm counts as warm, regardless of its next samples', async () => {
  let samples = 0;
  const [costs] = await interleavedSamples([async () => (samples++ < 4 ? 10 : 10 * samples)], times);
  expect(costs).toEqual([50, 60, 70]);
});

/** Returns the cost of a request in µs over time, which falls from 126 to 70, with noise. */
const compiledCost = (at: number, sampleMs: number): number =>
  (70 + 56 * Math.exp((-at * sampleMs) / 2_000)) * (1 + 0.08 * Math.sin(at * 12.9898) * Math.cos(at * 78.233));

const samplesUntilWarm = (sampleMs: number, costOf: (at: number) => number): number => {
  const costs: number[] = [];
  while (!isWarm(costs, sampleMs)) costs.push(costOf(costs.length));
  return costs.length;
};

test('no sample counts while the compiler still makes requests cheaper', () => {
  const samples = samplesUntilWarm(120, (at) => compiledCost(at, 120));
  expect(samples * 120).toBeGreaterThan(5_000);
  expect(samples * 120).toBeLessThan(12_000);
});

test('samples with a constant cost count after four seconds', () => {
  expect(samplesUntilWarm(200, () => 20)).toBe(20);
});

test('samples that never settle count after 15 seconds', () => {
  expect(samplesUntilWarm(200, (at) => 1.02 ** at)).toBe(75);
});
