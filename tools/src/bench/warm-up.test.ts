import { expect, test } from 'vitest';
import { isWarm } from './warm-up.ts';

/** Between -1 and 1, as if at random, the same in each run. */
const noise = (spell: number): number => Math.sin(spell * 12.9898) * Math.cos(spell * 78.233);

/** What a request takes in a spell, in µs, by when it is: first 126, then ever less, in the end 70. */
const compiled = (spell: number, spellMs: number): number =>
  (70 + 56 * Math.exp((-spell * spellMs) / 2_000)) * (1 + 0.08 * noise(spell));

const spellsUntilWarm = (spellMs: number, costOf: (spell: number) => number): number => {
  const costs: number[] = [];
  while (!isWarm(costs, spellMs)) costs.push(costOf(costs.length));
  return costs.length;
};

test.each([120, 200])('with spells of %i ms, none counts while the compiler still makes them cheaper', (spellMs) => {
  const spells = spellsUntilWarm(spellMs, (spell) => compiled(spell, spellMs));
  expect(spells * spellMs).toBeGreaterThan(5_000);
  expect(spells * spellMs).toBeLessThan(12_000);
});

test.each([120, 200])(
  'with spells of %i ms, what costs the same from the start counts after four seconds',
  (spellMs) => {
    expect(spellsUntilWarm(spellMs, () => 20)).toBe(2 * Math.ceil(2_000 / spellMs));
  },
);

test('what never settles counts after 15 seconds', () => {
  expect(spellsUntilWarm(200, (spell) => 1.02 ** spell)).toBe(75);
});
