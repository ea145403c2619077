import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { moveData, readDatabaseAddress, type Config, type DataMove, type Portico } from '@portico/composition';
import { createProgress, type Progress } from '../progress.ts';
import { counted, exitCodes, OperatorError, type Terminal } from '../terminal.ts';

/** The source of the new database's address: the command line, or a file. */
export interface Destination {
  readonly url: string | undefined;
  /** The file's path; `-` is standard input. */
  readonly file: string | undefined;
}

/**
 * Copies everything from the configured database to an empty one and compares every row. Throws an `OperatorError` for
 * an invalid address. If one of the databases cannot be used, throws the adapter's error, which gives the reason.
 */
export const migrate = async (
  config: Config,
  logger: Portico['logger'],
  terminal: Terminal,
  destination: Destination,
): Promise<void> => {
  const to = await read(terminal, destination);
  const startedAt = performance.now();
  const moved = await withProgress(terminal, (onProgress) => moveData(config, to, logger, onProgress));
  report(terminal, config, moved, (performance.now() - startedAt) / 1_000);
};

/** Shows a progress bar as soon as the total is known. */
const withProgress = async <T>(terminal: Terminal, work: (onProgress: OnProgress) => Promise<T>): Promise<T> => {
  const bars: Progress[] = [];
  try {
    return await work((done, total, doing) => {
      if (bars.length === 0) bars.push(createProgress(terminal, 'Moving', total));
      bars[0]?.advanceTo(done, doing);
    });
  } finally {
    bars[0]?.end();
  }
};

type OnProgress = Parameters<typeof moveData>[3];

const read = async ({ io }: Terminal, { url, file }: Destination): Promise<Config['database']> => {
  const address = url ?? (await (file === undefined || file === '-' ? text(io.stdin) : contentOf(file)));
  const database = readDatabaseAddress(address.trim());
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

const report = (terminal: Terminal, config: Config, moved: DataMove, seconds: number): void => {
  const { from, to, tables, address } = moved;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const width = Math.max(...tables.map(({ table }) => table.length));
  terminal.result({ from, to, rows, tables, seconds: Math.round(seconds * 10) / 10, database_url: address }, [
    `Moved ${counted(rows, 'row')} of ${counted(tables.length, 'table')} from ${from} to ${to}; both sides match.`,
    ...tables.map((each) => `  ${each.table.padEnd(width)}  ${each.rows}`),
    'Next:',
    `  1. Set DATABASE_URL=${address}`,
    `  2. Start the service with it. ${keyRemark(config)}`,
    `  3. Remove ${from} when you no longer need it. It is unchanged, and gets no further changes.`,
  ]);
};

const keyRemark = ({ secretsKey }: Config): string =>
  secretsKey.from === 'file'
    ? `It needs the same secrets key: ${secretsKey.path} stays where it is.`
    : 'It needs the same SECRETS_KEY.';
