/** Blocks the process, as garbage collection, a large document or a busy machine does. */
export const standStill = (milliseconds: number): void => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};
