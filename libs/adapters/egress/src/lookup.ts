import { lookup } from 'node:dns/promises';

/** Resolves a name to all its addresses. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** Resolves as every program on this machine does, including its hosts file. */
export const lookUp: Lookup = async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address);

/** Runs at most this number of look-ups at once. A look-up whose signal is aborted before its turn never starts. */
export const limitLookups = (
  resolveName: Lookup,
  lookupsMax: number,
): ((hostname: string, signal: AbortSignal) => Promise<readonly string[]>) => {
  const queue: (() => void)[] = [];
  let lookupsInFlight = 0;
  const startNext = (): void => {
    while (lookupsInFlight < lookupsMax) {
      const start = queue.shift();
      if (!start) return;
      start();
    }
  };
  return (hostname, signal) =>
    new Promise((resolve, reject) => {
      queue.push(() => {
        if (signal.aborted) return;
        lookupsInFlight += 1;
        // The thread is occupied until the look-up is done, even if its request was aborted long before.
        Promise.resolve()
          .then(() => resolveName(hostname))
          .then(resolve, reject)
          .finally(() => {
            lookupsInFlight -= 1;
            startNext();
          });
      });
      startNext();
    });
};
