import { benchFigures } from './process-figures.ts';

/** Prints what the built-in embedder costs; returns how many figures exceed their budget. */
export const benchEmbedder = (slack: number): Promise<number> =>
  benchFigures(
    'built-in embedder',
    'embedder-figures.ts',
    [
      ['loadMs', 'loading the built-in embedder, ms', 300],
      ['longestHoldMs', 'the longest that loading holds the event loop, ms', 20],
      ['memoryMiB', 'what it keeps in memory, MiB', 64],
      ['queryMicroseconds', 'embedding a query, µs', 100],
      ['thousandCharactersMicroseconds', 'embedding 1,000 characters, µs', 1_000],
    ],
    slack,
  );
