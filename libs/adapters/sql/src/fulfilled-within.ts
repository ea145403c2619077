/** Waits for the work so long at most; returns whether it was fulfilled by then, and rejects where it did. */
export const fulfilledWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
};
