import type { Log } from '@portico/dependencies';

/**
 * Returns what tells an operator how far the operations of collections are, given how many collections still wait: when
 * they begin to wait, at each tenth of the most that waited, and at the end.
 */
export const createOperationsTeller = (log: Pick<Log, 'info'>): ((collections: number) => void) => {
  let most = 0;
  let tenth = 0;
  return (collections) => {
    const now = most === 0 ? 0 : Math.floor((10 * (most - collections)) / most);
    if (collections > most) {
      [most, tenth] = [collections, 0];
      log.info({ collections }, 'The operations of collections were queued to be read and embedded');
    } else if (collections === 0) {
      if (most > 0) log.info({ collections: most }, 'The operations of all collections are read and embedded');
      [most, tenth] = [0, 0];
    } else if (now > tenth) {
      tenth = now;
      log.info({ total: most, done: most - collections }, 'The operations of collections are being embedded');
    }
  };
};
