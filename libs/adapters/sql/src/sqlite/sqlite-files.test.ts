import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aProfile, noEffects } from '@portico/contracts';
import { createTemporaryFolder } from '@portico/test-servers';
import SqliteDriver from 'better-sqlite3';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openSqlStores, type SqlStores } from '../open-sql-stores.ts';
import { withExclusiveSqlite, checkSqlite, copySqlite } from './sqlite-files.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = createTemporaryFolder(onTestFinished);
  file = join(folder, 'portico.sqlite');
});

const open = (): Promise<SqlStores> => openSqlStores({ kind: 'sqlite', file });
const createDatabase = async (): Promise<void> => (await open()).close();
const emailsIn = async (path: string): Promise<readonly string[]> => {
  const { stores, close } = await openSqlStores({ kind: 'sqlite', file: path });
  const emails = (await stores.profiles.list()).map(({ email }) => email);
  await close();
  return emails;
};

test('a copy made during writes contains all committed data, and keeps the mode of its file', async () => {
  const { stores, close } = await open();
  const profile = aProfile();
  await stores.profiles.add(profile, noEffects);
  const target = join(folder, 'copy.sqlite');
  closeSync(openSync(target, 'wx', 0o600));
  const pendingWrites = Promise.all(Array.from({ length: 50 }, () => stores.profiles.add(aProfile(), noEffects)));
  copySqlite(file, target);
  await pendingWrites;
  await close();
  expect(statSync(target).mode & 0o777).toBe(0o600);
  checkSqlite(target);
  expect(await emailsIn(target)).toContain(profile.email);
});

test('a database that is not in use is copied too, and no other file is left next to it', async () => {
  await createDatabase();
  copySqlite(file, join(folder, 'copy.sqlite'));
  expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(['copy.sqlite', 'portico.sqlite']);
});

test.each([
  ['nothing', () => rmSync(file), 'cannot be used'],
  ['no database', () => writeFileSync(file, 'x'.repeat(10_000)), 'file is not a database'],
  ['a database without tables', () => writeFileSync(file, ''), 'the SQLite database of another application'],
  [
    'a database of another application',
    () => {
      rmSync(file);
      new SqliteDriver(file).exec('create table t (x)').close();
    },
    'the SQLite database of another application',
  ],
  [
    'a database of a later version',
    () => {
      new SqliteDriver(file).exec("insert into schema_migrations (name) values ('9999-of-the-future')").close();
    },
    'which this version does not know',
  ],
  [
    'a database with damaged pages',
    () => {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0x55, 8_192, bytes.length - 4_096));
    },
    'cannot be used',
  ],
])('%s is rejected', async (_case, damageFile, message) => {
  await createDatabase();
  damageFile();
  expect(() => checkSqlite(file)).toThrow(message);
});

test('exclusive access is granted to a database that is not open, and denied if there is an idle connection', async () => {
  const { close } = await open();
  let runs = 0;
  const work = async () => void (runs += 1);
  expect(await withExclusiveSqlite(file, work)).toBe(false);
  await close();
  expect(await withExclusiveSqlite(file, work)).toBe(true);
  expect(runs).toBe(1);
  expect(readdirSync(folder)).toEqual(['portico.sqlite']);
  await (await open()).close();
});

test('exclusive access locks out every other connection', async () => {
  await createDatabase();
  await withExclusiveSqlite(file, async () => {
    expect(() => copySqlite(file, join(folder, 'copy.sqlite'))).toThrow('locked');
  });
});
