/** Settles like the promise, unless the signal is aborted first. Intended for work that ignores the signal. */
export const rejectOnAbort = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> => {
  const { promise: abortPromise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, abortPromise]).finally(() => signal.removeEventListener('abort', onAbort));
};
