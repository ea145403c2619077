import { findEmbeddedFiles, renewIdentity, type Config, type NewIdentity, type Portico } from '@portico/composition';
import type { Terminal } from '../terminal.ts';
import { runWhileUnused } from '../run-while-unused.ts';

/** Assigns a new id to the database. Throws an error with the reason if a process is using the database. */
export const assignNewIdentity = async (
  config: Config,
  logger: Portico['logger'],
  terminal: Terminal,
): Promise<void> => {
  const files = findEmbeddedFiles(config);
  if (files) await runWhileUnused(files, async () => undefined);
  const identity = await renewIdentity(config, logger);
  terminal.printResult(identity, linesOf(identity, config));
};

const linesOf = ({ from, to }: NewIdentity, { redis, qdrant }: Config): readonly string[] => [
  `The id of this installation is ${to}; it was ${from}.`,
  'Start the service: rate limits start from zero, and Qdrant is filled from the database.',
  ...(redis || qdrant
    ? [
        `The data under ${from} in Redis and Qdrant now belongs to the other database with that id; if there is none, delete it.`,
      ]
    : []),
];
