import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** What an entry is made of, in SQL: everything follows from its number `i`, so that the same log is made each time. */
interface Dialect {
  /** Numbers from one, which is its first parameter, up to and with another. */
  readonly numbers: string;
  readonly iso: (ms: string) => string;
}

const sqlite: Dialect = {
  // Node binds every number as a fraction.
  numbers: 'with recursive n(i) as (select cast(? as integer) union all select i + 1 from n where i < ?)',
  iso: (ms) => `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`,
};

const postgresql: Dialect = {
  numbers: 'with n(i) as (select generate_series($1::bigint, $2::bigint))',
  iso: (ms) => `to_char(to_timestamp((${ms}) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

/** A UUID that ends with the number; the sum has twelve digits, and is cheaper than padding. */
const uuid = (number: string): string => `'00000000-0000-4000-8000-' || (100000000000 + ${number})`;

/** 100,000 entries a day. */
const betweenMs = 864;
const dayMs = 86_400_000;

/** The first day such that as many entries end a day ago. */
export const firstInstant = (entries: number, now: number): number =>
  Math.floor((now - dayMs - entries * betweenMs) / dayMs) * dayMs;

const statementsOf = ({ numbers, iso }: Dialect, first: number) => {
  const instant = `${first} + i * ${betweenMs}`;
  // Multiplicative hashing (Knuth): scattered, and the square makes the lower numbers the frequent ones.
  const hash = 'i * 2654435761 % 4294967296';
  const skewed = (below: number) => `((${hash}) % ${below}) * ((${hash}) % ${below}) / ${below}`;
  const [client, collection] = [uuid(skewed(1_000)), uuid(skewed(10_000))];
  const source = `case when i % 10 = 0 then 'system' else 'client' end`;
  const action = `case when i % 10 = 0 then 'collection.credential_read' when i % 50 = 1 then 'token_refresh' else 'api_call' end`;
  const message = `'{"action":"' || ${action} || '","client_id":"' || ${client} || '","collection_id":"' || ${collection}
    || '","method":"GET","endpoint":"/v1/items/' || (i % 500) || '","status_code":200,"duration_ms":' || (i % 900) || '}'`;
  const counting = (scope: string) =>
    `insert into audit_days (scope, day, entries)
      ${numbers} select ${scope}, (${instant}) / ${dayMs}, count(*) from n where true group by 1, 2
      on conflict (scope, day) do update set entries = audit_days.entries + excluded.entries`;
  return {
    entries: `insert into audit_entries
      (id, source, actor_id, message, timestamp, instant, received_at, client_id, collection_id, action)
      ${numbers} select ${uuid('i')}, ${source}, ${client}, ${message}, ${iso(instant)}, ${instant}, ${instant},
        ${client}, ${collection}, ${action} from n`,
    days: [counting(source), counting("'all'")],
    totals: `insert into audit_totals (scope, entries) select scope, sum(entries) from audit_days where true group by scope
      on conflict (scope) do update set entries = excluded.entries`,
  };
};

/** So many are added at once, with their counts, as if by one transaction of the service. */
const lot = 250_000;

function* lotsOf(from: number, to: number): Generator<readonly [from: number, to: number]> {
  for (let at = from; at <= to; at += lot) yield [at, Math.min(to, at + lot - 1)];
}

/** Making an index anew is faster than adding much more than it has. The order of entries stays: counts need it. */
const isRebuilt = (index: string, from: number, to: number): boolean =>
  to - from >= 100_000 && to > 2 * from && index !== 'audit_entries_instant_index';

/** Adds the entries from one number to another to the log of a SQLite file that nobody has open. */
export const fillSqliteAudit = (file: string, first: number, from: number, to: number): void => {
  const statements = statementsOf(sqlite, first);
  const database = new DatabaseSync(file);
  try {
    // Nothing is to survive a crash here: it would only be written twice.
    database.exec(
      'pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -1000000; pragma threads = 2',
    );
    const indexes = database
      .prepare("select name, sql from sqlite_master where type = 'index' and tbl_name = 'audit_entries' and sql > ''")
      .all()
      .filter(({ name }) => isRebuilt(String(name), from, to));
    for (const { name } of indexes) database.exec('drop index ' + String(name));
    for (const numbers of lotsOf(from, to)) {
      database.exec('begin');
      database.prepare(statements.entries).run(...numbers);
      for (const days of statements.days) database.prepare(days).run(...numbers);
      database.exec(statements.totals);
      database.exec('commit');
    }
    for (const { sql } of indexes) database.exec(String(sql));
    database.exec('pragma journal_mode = wal');
  } finally {
    database.close();
  }
};

/** The same for a PostgreSQL database. */
export const fillPostgresqlAudit = async (url: string, first: number, from: number, to: number): Promise<void> => {
  const statements = statementsOf(postgresql, first);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '256MB'");
    const { rows } = await client.query<{ name: string; sql: string }>(
      `select indexname as name, indexdef as sql from pg_indexes
        where tablename = 'audit_entries' and indexname not in (select conname from pg_constraint)`,
    );
    const indexes = rows.filter(({ name }) => isRebuilt(name, from, to));
    for (const { name } of indexes) await client.query('drop index ' + name);
    for (const numbers of lotsOf(from, to)) {
      await client.query('begin');
      await client.query(statements.entries, [...numbers]);
      for (const days of statements.days) await client.query(days, [...numbers]);
      await client.query(statements.totals);
      await client.query('commit');
    }
    for (const { sql } of indexes) await client.query(sql);
    // As autovacuum does in time.
    await client.query('vacuum (analyze) audit_entries');
  } finally {
    await client.end();
  }
};
