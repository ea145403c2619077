/** Thrown where something took longer than it may; it goes on by itself. */
export class TookTooLong extends Error {}

/** The promise's outcome, or `TookTooLong`. */
export const within = async <T>(limitMs: number, promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
};
