import { expect, test } from 'vitest';
import { spellsInTurn } from './in-turn.ts';

/** Spells of a second: four that cost the same make a subject warm. */
const times = { rounds: 3, spellMs: 1_000 };

const halvingUntil20 = (spell: number): number => Math.max(20, 1_000 / 2 ** spell);

test('the spells that count are those after each subject was warm, and until then all have theirs in turn', async () => {
  const order: string[] = [];
  const subject = (name: string, costOf: (spell: number) => number) => {
    let spell = 0;
    return async () => {
      order.push(name);
      return { spell, costPerRequest: costOf(spell++) };
    };
  };
  const [steady, late] = await spellsInTurn([subject('A', () => 10), subject('B', halvingUntil20)], times);
  expect(late).toEqual([10, 11, 12].map((spell) => ({ spell, costPerRequest: 20 })));
  expect(steady).toEqual([10, 11, 12].map((spell) => ({ spell, costPerRequest: 10 })));
  expect(order.join('')).toBe('ABBA'.repeat(6) + 'AB');
});

test('a subject that was warm counts as warm, whatever its next spells cost', async () => {
  let spells = 0;
  const restless = async () => ({ costPerRequest: spells++ < 4 ? 10 : 10 * spells });
  const [counted] = await spellsInTurn([restless], times);
  expect(counted?.map(({ costPerRequest }) => costPerRequest)).toEqual([50, 60, 70]);
});
