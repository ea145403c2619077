import { expect, onTestFinished, test, vi } from 'vitest';
import { createTurns } from './turns.ts';

test('others have their turn after some milliseconds of work, and not before', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const othersTurn = createTurns();
  let turns = 0;
  const askAt = async (ms: number): Promise<number> => {
    clock.mockReturnValue(ms);
    setImmediate(() => (turns += 1));
    await othersTurn();
    return turns;
  };
  expect(await askAt(3.9)).toBe(0);
  expect(await askAt(4)).toBe(2);
  // The next stretch begins with the end of that turn.
  expect(await askAt(7.9)).toBe(2);
  expect(await askAt(8)).toBe(4);
});
