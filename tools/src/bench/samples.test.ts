import { expect, test } from 'vitest';
import { interleavedSamples, isWarm } from './samples.ts';

/** Samples of a second: four that cost the same make a server warm. */
const times = { rounds: 3, sampleMs: 1_000 };

test('samples count once each server was warm, and until then all are asked in turn', async () => {
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

test('a server that was warm counts as warm, whatever its next samples cost', async () => {
  let samples = 0;
  const [counted] = await interleavedSamples([async () => (samples++ < 4 ? 10 : 10 * samples)], times);
  expect(counted).toEqual([50, 60, 70]);
});

/** What a request takes, in µs, by when it is: first 126, then ever less, in the end 70, with noise. */
const compiled = (at: number, sampleMs: number): number =>
  (70 + 56 * Math.exp((-at * sampleMs) / 2_000)) * (1 + 0.08 * Math.sin(at * 12.9898) * Math.cos(at * 78.233));

const samplesUntilWarm = (sampleMs: number, costOf: (at: number) => number): number => {
  const costs: number[] = [];
  while (!isWarm(costs, sampleMs)) costs.push(costOf(costs.length));
  return costs.length;
};

test('none counts while the compiler still makes requests cheaper', () => {
  const samples = samplesUntilWarm(120, (at) => compiled(at, 120));
  expect(samples * 120).toBeGreaterThan(5_000);
  expect(samples * 120).toBeLessThan(12_000);
});

test('what costs the same from the start counts after four seconds', () => {
  expect(samplesUntilWarm(200, () => 20)).toBe(20);
});

test('what never settles counts after 15 seconds', () => {
  expect(samplesUntilWarm(200, (at) => 1.02 ** at)).toBe(75);
});
