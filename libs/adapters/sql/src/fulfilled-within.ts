/** Waits at most `ms` for the work. Returns whether it has resolved by then; rejects if it rejects. */
export const fulfilledWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
};
