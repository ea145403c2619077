import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { moveData, readDatabaseUrl, type Config, type DataMove, type Portico } from '@portico/composition';
import { createProgress, type Progress } from '../progress.ts';
import { formatCount, exitCodes, OperatorError, type Terminal } from '../terminal.ts';

/** The source of the new database's URL: the command line, or a file. */
export interface Destination {
  readonly url: string | undefined;
  /** The file's path; `-` is standard input. */
  readonly file: string | undefined;
}

/**
 * Copies everything from the configured database to an empty one and compares every row. Throws an `OperatorError` for
 * an invalid URL. If one of the databases cannot be used, throws the adapter's error, which gives the reason.
 */
export const migrate = async (
  config: Config,
  logger: Portico['logger'],
  terminal: Terminal,
  destination: Destination,
): Promise<void> => {
  const targetDatabase = await readDestination(terminal, destination);
  const startedAt = performance.now();
  const dataMove = await withProgress(terminal, (onProgress) => moveData(config, targetDatabase, logger, onProgress));
  report(terminal, config, dataMove, (performance.now() - startedAt) / 1_000);
};

/** Shows a progress bar as soon as the total is known. */
const withProgress = async <T>(terminal: Terminal, work: (onProgress: OnProgress) => Promise<T>): Promise<T> => {
  const bars: Progress[] = [];
  try {
    return await work((done, total, detail) => {
      if (bars.length === 0) bars.push(createProgress(terminal, 'Moving', total));
      bars[0]?.advanceTo(done, detail);
    });
  } finally {
    bars[0]?.end();
  }
};

type OnProgress = Parameters<typeof moveData>[3];

const readDestination = async ({ io }: Terminal, { url, file }: Destination): Promise<Config['database']> => {
  const address = url ?? (await (file === undefined || file === '-' ? text(io.stdin) : contentOf(file)));
  const database = readDatabaseUrl(address.trim());
  if (database) return database;
  throw new OperatorError(
    `${url === undefined ? '--to-file' : '--to'}: read a value of ${address.trim().length} characters, expected sqlite:PATH, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE`,
    exitCodes.usage,
  );
};

const contentOf = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new OperatorError(`--to-file: ${file} cannot be read (${code})`, exitCodes.usage);
  }
};

const report = (terminal: Terminal, config: Config, dataMove: DataMove, seconds: number): void => {
  const { from, to, tables, address } = dataMove;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const width = Math.max(...tables.map(({ table }) => table.length));
  terminal.printResult({ from, to, rows, tables, seconds: Math.round(seconds * 10) / 10, database_url: address }, [
    `Moved ${formatCount(rows, 'row')} of ${formatCount(tables.length, 'table')} from ${from} to ${to}; both sides match.`,
    ...tables.map((table) => `  ${table.table.padEnd(width)}  ${table.rows}`),
    'Next:',
    `  1. Set DATABASE_URL=${address}`,
    `  2. Start the service with it. ${formatKeyNote(config)}`,
    `  3. Remove ${from} when you no longer need it. It was not changed, and no longer receives changes.`,
  ]);
};

const formatKeyNote = ({ secretsKey }: Config): string =>
  secretsKey.from === 'file'
    ? `It needs the same secrets key: leave ${secretsKey.path} where it is.`
    : 'It needs the same SECRETS_KEY.';
