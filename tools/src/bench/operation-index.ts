import { benchFigures } from './process-figures.ts';

/** Prints what the in-process index of operations costs; returns how many figures exceed their budget. */
export const benchOperationIndex = (slack: number): Promise<number> =>
  benchFigures(
    'index of 100,000 operations in 600 collections',
    'operation-index-figures.ts',
    [
      ['packMs', 'packing 1,700 operations, ms of CPU', 10],
      ['memoryMiB', 'what the index keeps in memory, MiB', 64],
      ['buildMs', 'reading all of it, ms', 1_000],
      ['buildHoldMs', 'the longest that it holds the event loop, ms', 10],
      ['catchUpMs', 'bringing in 1,700 changed operations, and a search, ms', 20],
      ['queryCpuMs', 'a search, median ms of CPU', 10],
      ['queryCpuP99Ms', 'a search, 99th percentile, ms of CPU', 10],
      ['queryMs', 'a search, median ms', 12],
      ['querySlowMs', 'the slowest of 500 searches, ms', 30],
      ['queryHoldMs', 'the longest that a search holds the event loop, ms', 10],
      ['methodMs', 'a search for one method, median ms', 12],
      ['visibleMs', 'a search among a tenth of the collections, median ms', 2],
    ],
    slack,
  );
