import { isWarm } from './warm-up.ts';

export interface SpellTimes {
  /** How many rounds count; in each, every subject has one spell. */
  readonly rounds: number;
  readonly spellMs: number;
}

/**
 * Runs spells of several subjects in turn, in an order that turns round each time (ABBA), so that a drift affects all of
 * them. Returns those of the last `rounds`, which begin when each subject has been warm. Those that are warm earlier go on
 * meanwhile: bare Express, left alone while the other warmed up, took a fifth to a half more for a second.
 */
export const spellsInTurn = async <Spell extends { readonly costPerRequest: number }>(
  subjects: readonly (() => Promise<Spell>)[],
  { rounds, spellMs }: SpellTimes,
): Promise<readonly (readonly Spell[])[]> => {
  const turns = subjects.map((run) => ({ run, spells: [] as Spell[], hasBeenWarm: false }));
  let counted = 0;
  for (let round = 0; counted < rounds; round += 1) {
    if (turns.every(({ hasBeenWarm }) => hasBeenWarm)) counted += 1;
    for (const turn of round % 2 ? turns.toReversed() : turns) {
      turn.spells.push(await turn.run());
      turn.hasBeenWarm ||= isWarm(
        turn.spells.map(({ costPerRequest }) => costPerRequest),
        spellMs,
      );
    }
  }
  return turns.map(({ spells }) => spells.slice(-rounds));
};
