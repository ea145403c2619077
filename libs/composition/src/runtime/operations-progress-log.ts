import type { Log } from '@portico/dependencies';

/**
 * Returns a function that logs the progress of embedding operations, given the number of collections that are still
 * pending. It logs when collections become pending, at each tenth of the largest number, and at the end.
 */
export const createOperationsProgressLog = (log: Pick<Log, 'info'>): ((collections: number) => void) => {
  let total = 0;
  let tenth = 0;
  return (collections) => {
    const currentTenth = total === 0 ? 0 : Math.floor((10 * (total - collections)) / total);
    if (collections > total) {
      [total, tenth] = [collections, 0];
      log.info({ collections }, 'The operations of collections were queued to be read and embedded');
    } else if (collections === 0) {
      if (total > 0) log.info({ collections: total }, 'The operations of all collections are read and embedded');
      [total, tenth] = [0, 0];
    } else if (currentTenth > tenth) {
      tenth = currentTenth;
      log.info({ total, done: total - collections }, 'The operations of collections are being embedded');
    }
  };
};
