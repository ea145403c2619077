/** Settles like the promise, unless the signal is aborted first. Intended for work that ignores the signal. */
export const unlessAborted = <T>(signal: AbortSignal, promise: Promise<T>): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort));
};
