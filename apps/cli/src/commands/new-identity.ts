import { embeddedFiles, renewIdentity, type Config, type NewIdentity, type Portico } from '@portico/composition';
import type { Terminal } from '../terminal.ts';
import { whileUnused } from '../while-unused.ts';

/** Assigns a new id to the database. Throws an error with the reason if a process is using the database. */
export const assignNewIdentity = async (
  config: Config,
  logger: Portico['logger'],
  terminal: Terminal,
): Promise<void> => {
  const files = embeddedFiles(config);
  if (files) await whileUnused(files, async () => undefined);
  const renewed = await renewIdentity(config, logger);
  terminal.result(renewed, linesOf(renewed, config));
};

const linesOf = ({ from, to }: NewIdentity, { redis, qdrant }: Config): readonly string[] => [
  `The id of this installation is ${to}; it was ${from}.`,
  'Start the service: limits are counted from the start, and Qdrant is filled from the database.',
  ...(redis || qdrant
    ? [
        `The data of Redis and Qdrant under ${from} is left to the other database with that id; if there is none, delete it.`,
      ]
    : []),
];
