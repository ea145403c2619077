/**
 * During this each look at `performance.now` finds it so many milliseconds after the last one: with 10, who gives others
 * their turn after some milliseconds of work gives it at each occasion.
 */
export const withSteppingClock = async <Answer>(stepMs: number, work: () => Promise<Answer>): Promise<Answer> => {
  const now = performance.now.bind(performance);
  let at = now();
  performance.now = () => (at += stepMs);
  try {
    return await work();
  } finally {
    performance.now = now;
  }
};
