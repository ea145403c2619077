import type { Log } from '@portico/dependencies';
import type { Client } from 'pg';
import { DatabaseOpenError } from '../database-fault.ts';
import { fillingMarkOf, isFillingMark, rejectUnknown } from '../migrations/index.ts';
import type { MovedRow, MoveSource, MoveTarget } from '../move/move.ts';
import { movedTables, type MovedTable } from '../move/moved-tables.ts';
import { insertRow } from '../move/statements.ts';
import type { Value } from '../sql.ts';
import { removeValues } from './database-error.ts';
import { readAppliedNames, migratePostgresql } from './migrate-postgresql.ts';
import { connect, disconnect, tryLock, nameOf, rejectProcesses } from './move-client.ts';
import { createPostgresqlRows, sequenceOf } from './postgresql-rows.ts';
import { splitBulkInsert, Statements } from './statements.ts';

/** Creates all tables and the mark in an empty database, or empties the tables of an incomplete earlier run. */
export const openPostgresqlTarget = async (
  url: string,
  { name: sourceName, lockKey }: Pick<MoveSource, 'name' | 'lockKey'>,
  log: Log,
): Promise<MoveTarget> => {
  const client = await connect(url, log);
  const name = nameOf(url);
  try {
    if (lockKey !== null && !(await tryLock(client, lockKey))) throw new Error('it is the source of the move');
    await rejectInUse(client);
    await rejectProcesses(client);
    await lockFilling(client);
    await migratePostgresql(url, { onOutdatedSchema: 'reject', log }, fillingMarkOf(sourceName));
    await setTriggers(client, 'disable');
    await client.query(`truncate ${tableNames.join(', ')}`);
    return new PostgresqlMoveTarget(client, name);
  } catch (cause) {
    await disconnect(client);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DatabaseOpenError(`${name} cannot be filled: ${reason}`, { cause });
  }
};

/**
 * Acquires the lock for filling. The key is "port" in ASCII and the number of this lock; changes and migrations use
 * different numbers.
 */
const lockFilling = async (client: Client): Promise<void> => {
  const { rows } = await client.query<{ isFree: boolean }>('select pg_try_advisory_lock(1886351988, 3) as "isFree"');
  if (!rows[0]?.isFree) throw new Error('another "portico migrate" is filling it');
};

const tableNames = movedTables.map(({ name }) => name);
const setTriggers = (client: Client, change: 'enable' | 'disable') =>
  client.query(tableNames.map((name) => `alter table ${name} ${change} trigger user`).join('; '));

/** Throws unless the database has no tables, or only the tables of an incomplete earlier run. */
const rejectInUse = async (client: Client): Promise<void> => {
  const { rows } = await client.query(`select from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname <> 'schema_migrations'`);
  const appliedNames = await readAppliedNames(client);
  rejectUnknown(appliedNames.filter((name) => !isFillingMark(name)));
  if (appliedNames.some(isFillingMark) || rows.length + appliedNames.length === 0) return;
  throw new Error('it is not empty: create a new database');
};

/** Writes rows with triggers disabled; `finish` enables them again. */
class PostgresqlMoveTarget implements MoveTarget {
  readonly name: string;
  readonly #client: Client;
  readonly #statements = new Statements();

  constructor(client: Client, name: string) {
    this.#client = client;
    this.name = name;
  }

  async insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    try {
      // pg also accepts bigints.
      for (const [bulk, cells] of splitBulkInsert(insertRow(table), rows as readonly (readonly Value[])[]))
        await this.#client.query(this.#statements.query(bulk, cells));
    } catch (error) {
      throw removeValues(error);
    }
  }

  async setLastId(table: MovedTable, id: number): Promise<void> {
    const sequence = await sequenceOf(this.#client, table);
    if (sequence === null) return;
    await this.#client.query('select setval($1::regclass, greatest($2::bigint, 1), $2::bigint > 0)', [sequence, id]);
  }

  readonly withSnapshot: MoveTarget['withSnapshot'] = async (work) => {
    await this.#client.query('begin isolation level repeatable read read only');
    const result = await work(createPostgresqlRows(this.#client));
    await this.#client.query('commit');
    return result;
  };

  async finish(): Promise<void> {
    // Analyzed, so that the first reads are planned well.
    await this.#client.query(`analyze ${tableNames.join(', ')}`);
    await this.#client.query('begin');
    await setTriggers(this.#client, 'enable');
    for (const mark of (await readAppliedNames(this.#client)).filter(isFillingMark))
      await this.#client.query('delete from schema_migrations where name = $1', [mark]);
    await this.#client.query('commit');
  }

  close(): Promise<void> {
    return disconnect(this.#client);
  }
}
