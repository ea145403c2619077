import { expect, test } from 'vitest';
import { takeInterleavedSamples, isWarm } from './samples.ts';

/** Samples take one second, so a server is warm after four samples with the same cost. */
const times = { rounds: 3, sampleMs: 1_000 };

test('samples count only after every server has warmed up; until then, all servers are sampled in turn', async () => {
  const order: string[] = [];
  const server = (name: string, costOf: (index: number) => number) => {
    let index = 0;
    return async () => {
      order.push(name);
      return costOf(index++);
    };
  };
  const halvingUntil20 = (index: number): number => Math.max(20, 1_000 / 2 ** index);
  const [steadyCosts, warmedUpCosts] = await takeInterleavedSamples(
    [server('A', (index) => 10 + index / 1e6), server('B', halvingUntil20)],
    times,
  );
  expect(warmedUpCosts).toEqual([20, 20, 20]);
  expect(steadyCosts).toEqual([10, 11, 12].map((index) => 10 + index / 1e6));
  expect(order.join('')).toBe('ABBA'.repeat(6) + 'AB');
});

test('a server that has warmed up still counts as warm after slower samples', async () => {
  let samples = 0;
  const [costs] = await takeInterleavedSamples([async () => (samples++ < 4 ? 10 : 10 * samples)], times);
  expect(costs).toEqual([50, 60, 70]);
});

/** Returns the cost of a request in µs over time, which falls from 126 to 70, with noise. */
const compiledCostOf = (index: number, sampleMs: number): number =>
  (70 + 56 * Math.exp((-index * sampleMs) / 2_000)) * (1 + 0.08 * Math.sin(index * 12.9898) * Math.cos(index * 78.233));

const countSamplesUntilWarm = (sampleMs: number, costOf: (index: number) => number): number => {
  const costs: number[] = [];
  while (!isWarm(costs, sampleMs)) costs.push(costOf(costs.length));
  return costs.length;
};

test('samples do not count while the compiler still makes requests cheaper', () => {
  const samples = countSamplesUntilWarm(120, (index) => compiledCostOf(index, 120));
  expect(samples * 120).toBeGreaterThan(5_000);
  expect(samples * 120).toBeLessThan(12_000);
});

test('samples with a constant cost count after four seconds', () => {
  expect(countSamplesUntilWarm(200, () => 20)).toBe(20);
});

test('samples that never settle count after 15 seconds', () => {
  expect(countSamplesUntilWarm(200, (index) => 1.02 ** index)).toBe(75);
});
