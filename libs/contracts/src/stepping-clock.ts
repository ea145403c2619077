/**
 * During this each look at `performance.now` finds it so many milliseconds after the last one: with 10, who gives others
 * their turn after some milliseconds of work gives it at each occasion.
 */
export const withSteppingClock = async <Answer>(stepMs: number, work: () => Promise<Answer>): Promise<Answer> => {
  const { now } = performance;
  let at = now.call(performance);
  performance.now = () => (at += stepMs);
  try {
    return await work();
  } finally {
    performance.now = now;
  }
};
