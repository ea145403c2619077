import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { aCollection, aDocument, anEntry, aProfile, noEffects } from '@portico/contracts';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startChild } from '../../test/child.ts';
import { withFile, withStores } from '../../test/with-stores.ts';
import { openSqlStores } from '../index.ts';
import { openSqlite } from './open-sqlite.ts';
import { SqliteDatabase } from './sqlite-database.ts';

const withDatabase = (work: (database: SqliteDatabase) => Promise<void>): Promise<void> =>
  withFile(async (file) => {
    const { orm, writer, reader } = await openSqlite(file);
    const database = new SqliteDatabase(orm, writer, reader, 1_000);
    try {
      await work(database);
    } finally {
      await database.close();
    }
  });

const insert = "insert into settings (name, value) values (?, '')";
const names = async ({ reads }: SqliteDatabase) =>
  (await reads.all<{ name: string }>('select name from settings order by name')).map(({ name }) => name);

test('reads see nothing of a transaction that is open', () =>
  withDatabase(async (database) => {
    await database.transact(async (transaction) => {
      await transaction.run(insert, ['a']);
      expect(await names(database)).toEqual([]);
    });
    expect(await names(database)).toEqual(['a']);
  }));

test('units of work do not interleave, however long they take', () =>
  withDatabase(async (database) => {
    const steps: string[] = [];
    const unit = (name: string) =>
      database.transact(async (transaction) => {
        steps.push(name);
        await setTimeout(5);
        await transaction.run(insert, [name]);
        steps.push(name);
      });
    await Promise.all(['a', 'b', 'c'].map(unit));
    expect(steps.join('')).toBe('aabbcc');
  }));

test('what a unit of work throws rolls it back, and the next one goes on', () =>
  withDatabase(async (database) => {
    const failing = database.transact(async (transaction) => {
      await transaction.run(insert, ['a']);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await database.transact((transaction) => transaction.run(insert, ['b']));
    expect(await names(database)).toEqual(['b']);
  }));

test('a write waits for another process that writes, without holding up this one', () =>
  withFile(async (file) => {
    const { settings, close } = await openSqlStores({ kind: 'sqlite', file });
    const other = new SqliteDriver(file);
    other.exec('begin immediate');
    let ticks = 0;
    const counting = setInterval(() => (ticks += 1), 1);
    const written = settings.put('name', 'value');
    await setTimeout(100);
    expect(ticks).toBeGreaterThan(10);
    expect(await settings.get('name')).toBeNull();
    other.exec('commit');
    await written;
    expect(await settings.get('name')).toBe('value');
    clearInterval(counting);
    other.close();
    await close();
  }));

test('a write that waits in vain fails, and later ones work', () =>
  withFile(async (file) => {
    const { settings, stores, close } = await openSqlStores({ kind: 'sqlite', file }, { writeWaitMs: 50 });
    const other = new SqliteDriver(file);
    other.exec('begin immediate');
    const appended = [stores.audit.append(anEntry()), stores.audit.append(anEntry())];
    await expect(settings.put('name', 'value')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    for (const outcome of await Promise.allSettled(appended)) expect(outcome.status).toBe('rejected');
    other.exec('commit');
    await stores.audit.append(anEntry());
    expect(await stores.audit.page({ source: 'all' }, 0, 9)).toMatchObject({ total: 1 });
    other.close();
    await close();
  }));

test('two processes that write to one file at once lose nothing', () =>
  withFile(async (file) => {
    const children = [startChild('append-entries.ts', file, '500'), startChild('append-entries.ts', file, '500')];
    for (const { ended } of children) expect(await ended).toEqual({ code: 0, signal: null });
    const { stores, close } = await openSqlStores({ kind: 'sqlite', file });
    const { entries, total } = await stores.audit.page({ source: 'client' }, 0, 2_000);
    expect(total).toBe(1_000);
    expect(entries.map(({ id }) => id as unknown).sort()).toEqual(children.flatMap(({ messages }) => messages).sort());
    await close();
  }));

test('what was acknowledged is there after the process was killed', () =>
  withFile(async (file) => {
    for (let round = 0; round < 3; round += 1) {
      const { child, messages, ended } = startChild('append-entries.ts', file);
      while (messages.length < 50) await setTimeout(5);
      child.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
      const { stores, close } = await openSqlStores({ kind: 'sqlite', file });
      const stored = new Set<unknown>();
      for await (const { id } of stores.audit.export({ source: 'client' })) stored.add(id);
      expect(messages.filter((id) => !stored.has(id))).toEqual([]);
      expect(await stores.audit.page({ source: 'client' }, 0, 1)).toMatchObject({ total: stored.size });
      await close();
    }
  }));

test('a document of several megabytes comes back as it was', () =>
  withStores(async ({ stores: { collections } }) => {
    const collection = aCollection();
    const document = { deflated: Uint8Array.from(randomBytes(6_000_000)), crc32: 0xffff_fffe, bytes: 32_000_000 };
    await collections.add(collection, aDocument(), noEffects);
    await collections.update(collection.id, (current) => ({ ...noEffects, collection: current, document }));
    const read = await collections.document(collection.id);
    expect(read?.packed).toEqual(document);
  }));

test.for([
  `it's "quoted"`,
  "a \\ backslash \\' and \\? more",
  'a ? and ?1 and :name and $1 and @x',
  'two\nlines\r\n\tand a tab',
  "'; drop table profiles; --",
  '😀 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u202e \u0301',
  '%s {0} ${name} `x`',
])('the text %j is stored as it is', (text) =>
  withStores(async ({ stores: { profiles, collections, limits } }) => {
    const profile = aProfile({ fullName: text, companyName: text, uid: text });
    await profiles.add(profile, noEffects);
    await profiles.update(profile.id, ({ profile: current, key }) => ({
      ...noEffects,
      profile: { ...current, companyName: `${text}${text}` },
      key,
    }));
    expect(await profiles.find(profile.id)).toEqual({ ...profile, companyName: `${text}${text}` });

    const collection = aCollection({ name: text, description: text, importKey: text });
    await collections.add(collection, aDocument(), noEffects);
    expect(await collections.findByImportKey(text)).toEqual(collection);
    expect(await limits.subject(profile.id)).toMatchObject({ profile: { fullName: text } });
  }),
);

test('the error of a write that was refused says nothing of what was to be written', () =>
  withStores(async ({ stores: { profiles } }) => {
    const profile = aProfile();
    await profiles.add(profile, noEffects);
    const refused: unknown = await profiles
      .add({ ...aProfile(), uid: profile.uid }, noEffects)
      .catch((e: unknown) => e);
    const texts = [];
    for (let error: unknown = refused; error instanceof Error; error = error.cause) {
      texts.push(error.message, error.stack, ...Object.values(error).map(String));
    }
    expect(texts.join('\n')).toContain('Identity already registered');
    expect(texts.join('\n')).toContain('UNIQUE constraint failed: profiles.uid');
    expect(texts.join('\n')).not.toContain(profile.uid);
  }));
