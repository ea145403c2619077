/** What garbage collection, a large document or a machine that is busy elsewhere do to a process: nothing goes on in it. */
export const standStill = (milliseconds: number): void => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};
