/** In milliseconds. For hangs alone: no machine is too slow for it. */
export const waitLimit = 2 * 60_000;

/** Limits the waits for which Playwright has no limit, so that a hang fails with the name of the step. */
export const limited = async <Result>(
  step: string,
  work: Promise<Result>,
  milliseconds = waitLimit,
): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer from the browser: ${step}`)), milliseconds);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
};
