import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  aCollection,
  aDocument,
  anEntry,
  anEmbedding,
  anOverride,
  aProfile,
  aTier,
  endOfTime,
  jobsOnly,
  aJob,
  noEffects,
} from '@portico/contracts';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startChild } from '../test/child.ts';
import { withFile, withStores } from '../test/with-stores.ts';
import { openSqlStores } from './index.ts';
import type { SqlStores } from './index.ts';
import { openSqlite } from './sqlite/open-sqlite.ts';

const open = (file: string): Promise<SqlStores> => openSqlStores({ kind: 'sqlite', file });

/** Works on the file as another program would. */
const onFile = async (file: string, work: (connection: SqliteDriver.Database) => void): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  const connection = new SqliteDriver(file);
  try {
    work(connection);
  } finally {
    connection.close();
  }
};

test('the migrations make exactly the tables that the entities say', () =>
  withFile(async (file) => {
    const { orm, reader } = await openSqlite(file);
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
    reader.close();
    await orm.close(true);
  }));

test('only the owner can read the folder and the files that are made', () =>
  withFile(async (file) => {
    const { close } = await open(file);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) expect((await stat(name)).mode & 0o777).toBe(0o600);
    await close();
  }));

test('each connection is set up to lose nothing and to trust nothing', () =>
  withFile(async (file) => {
    const { orm, writer, reader } = await openSqlite(file);
    const setting = (name: string) => writer.pragma(name, { simple: true });
    expect(setting('journal_mode')).toBe('wal');
    expect(setting('synchronous')).toBe(2);
    expect(setting('foreign_keys')).toBe(1);
    expect(setting('trusted_schema')).toBe(0);
    expect(reader.pragma('trusted_schema', { simple: true })).toBe(0);
    expect(() => reader.exec('delete from settings')).toThrow('readonly');
    reader.close();
    await orm.close(true);
  }));

test('what was stored is there after the database was opened anew', () =>
  withFile(async (file) => {
    const profile = aProfile();
    const collection = aCollection();
    const document = aDocument();
    const embedding = anEmbedding(collection);
    const first = await open(file);
    await first.stores.profiles.add(profile, noEffects);
    await first.stores.collections.add(collection, document, jobsOnly(aJob()));
    await first.stores.grants.grant(profile.id, collection.id, () => ({ ...noEffects, grantedAt: 5 }));
    await first.stores.embeddings.put(embedding);
    await first.stores.limits.addTier(aTier(), noEffects);
    const override = await first.stores.limits.addOverride(profile.id, anOverride(), noEffects);
    await first.stores.audit.append(anEntry());
    await first.settings.put('jwks', '{}');
    await first.close();

    const { stores, settings, close } = await open(file);
    expect(await stores.callers.byUid(profile.uid, collection.id)).toMatchObject({
      profile,
      target: collection,
      granted: true,
      epochs: { grants: 1, catalog: 1, embeddings: 1 },
      limits: { override: { id: override.id } },
    });
    expect((await stores.collections.document(collection.id))?.packed).toEqual(document);
    expect(await stores.embeddings.changedSince(0, 'm1', 9)).toHaveLength(1);
    expect(await stores.limits.tiers()).toEqual([aTier()]);
    expect(await stores.audit.page({ source: 'all' }, 0, 9)).toMatchObject({ total: 1 });
    expect(await stores.outbox.due(endOfTime, 9)).toHaveLength(1);
    expect(await settings.get('jwks')).toBe('{}');
    await close();
  }));

test('several processes that open a new file at once all come up', () =>
  withFile(async (file) => {
    const children = Array.from({ length: 4 }, () => startChild('append-entries.ts', file, '5'));
    for (const { ended } of children) expect(await ended).toEqual({ code: 0, signal: null });
    const { stores, close } = await open(file);
    expect(await stores.audit.page({ source: 'all' }, 0, 1)).toMatchObject({ total: 20 });
    await close();
  }));

test('a database that a newer version wrote is refused', () =>
  withFile(async (file) => {
    await (await open(file)).close();
    await onFile(file, (connection) =>
      connection.exec("insert into schema_migrations (name) values ('9999-of-the-future')"),
    );
    await expect(open(file)).rejects.toThrow(
      `The database ${file} cannot be opened: it has the migration 9999-of-the-future, which this version does not know`,
    );
  }));

test.for([
  ['some text', 'No database at all.'],
  ['text of many pages', 'No database at all. '.repeat(1_000)],
])('a file that holds %s is refused and left as it is', ([, content = '']) =>
  withFile(async (file) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: it is no SQLite database`);
    expect(await readFile(file, 'utf8')).toBe(content);
  }),
);

test('a database whose pages are damaged is refused', () =>
  withFile(async (file) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `SQLite format 3\0${'x'.repeat(10_000)}`);
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: file is not a database`);
  }));

test('the database of another application is refused and left as it is', () =>
  withFile(async (file) => {
    await onFile(file, (connection) => connection.exec('create table invoices (number integer)'));
    await expect(open(file)).rejects.toThrow('it is the SQLite database of another application');
    await onFile(file, (connection) =>
      expect(connection.prepare('select name from sqlite_master').pluck().all()).toEqual(['invoices']),
    );
  }));

test('a folder in the place of the file is refused', () =>
  withFile(async (file) => {
    await mkdir(file, { recursive: true });
    await expect(open(file)).rejects.toThrow(`The database ${file} cannot be opened: `);
  }));

test('the probe is content while the database is open, and not afterwards', () =>
  withFile(async (file) => {
    const { probe, close } = await open(file);
    await probe.check();
    await close();
    await expect(probe.check()).rejects.toThrow();
  }));

test('closing waits for what was asked for before, and refuses what comes after', () =>
  withFile(async (file) => {
    const first = await open(file);
    const asked = [first.stores.audit.append(anEntry()), first.settings.put('name', 'value')];
    await first.close();
    await Promise.all(asked);
    await expect(first.settings.put('name', 'other')).rejects.toThrow('closed');
    await expect(first.stores.audit.append(anEntry())).rejects.toThrow('closed');

    const { stores, settings, close } = await open(file);
    expect(await settings.get('name')).toBe('value');
    expect(await stores.audit.page({ source: 'all' }, 0, 1)).toMatchObject({ total: 1 });
    await close();
  }));

test('a setting is kept until it is put anew; of simultaneous first ones one is kept', () =>
  withStores(async ({ settings }) => {
    expect(await settings.get('pepper')).toBeNull();
    const answers = await Promise.all(['a', 'b', 'c'].map((value) => settings.putIfAbsent('pepper', value)));
    const kept = await settings.get('pepper');
    expect(answers).toEqual([kept, kept, kept]);
    await settings.put('pepper', 'z');
    expect(await settings.putIfAbsent('pepper', 'a')).toBe('z');
  }));
