import { expect, onTestFinished, test, vi } from 'vitest';
import { createTurns } from './turns.ts';

test.each([
  [4, createTurns],
  [2, () => createTurns(2)],
])('others have their turn after %i milliseconds of work, and not before', async (turnMs, create) => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const othersTurn = create();
  let turns = 0;
  const askAt = async (ms: number): Promise<number> => {
    clock.mockReturnValue(ms);
    setImmediate(() => (turns += 1));
    await othersTurn();
    return turns;
  };
  expect(await askAt(turnMs - 0.1)).toBe(0);
  expect(await askAt(turnMs)).toBe(2);
  // The next stretch begins with the end of that turn.
  expect(await askAt(2 * turnMs - 0.1)).toBe(2);
  expect(await askAt(2 * turnMs)).toBe(4);
});
