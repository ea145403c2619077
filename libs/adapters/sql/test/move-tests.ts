import { existsSync } from 'node:fs';
import { aProfile, adding, anOverride, noEffects } from '@portico/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { dump, filledPlace, newPlace, runIn, stateOf, type Kind } from './movable.ts';
import { moveDatabase, openSqlStores, type MovedDatabase, type SqlConfig } from '../src/index.ts';

const ignored = (): void => undefined;
const log = { debug: ignored, info: ignored, warn: ignored, error: ignored };

export const move = (from: SqlConfig, to: SqlConfig, onProgress: (done: number, total: number) => void = ignored) =>
  moveDatabase(from, to, { log, onProgress });

/** Ends a run after this part of it, as a crash would. */
const interrupted = async (from: SqlConfig, to: SqlConfig, part: number): Promise<void> => {
  const crash = (done: number, total: number) => {
    if (done >= total * part) throw new Error('crashed');
  };
  await expect(move(from, to, crash)).rejects.toThrow('crashed');
};

export const addressOf = (place: SqlConfig): string => (place.kind === 'sqlite' ? place.file : new URL(place.url).host);

export const refused = async (from: SqlConfig, to: SqlConfig, said: string | RegExp): Promise<void> => {
  const moving = move(from, to);
  await expect(moving).rejects.toThrow(said);
  const { message } = (await moving.catch((error: unknown) => error)) as Error;
  expect(message).not.toMatch(/postgres(ql)?:\/\/[^/]*@/);
};

/** Defines the tests of a move from one kind of database to another. */
export const testMoves = (one: Kind, other: Kind): void => {
  test('what is moved there and back is the same, down to the type of each value, and the source is as it was', async () => {
    const [from, over, back] = [await filledPlace(one), await newPlace(other), await newPlace(one)];
    const [before, held] = [await stateOf(from), await dump(from)];
    const moved = await move(from, over);
    expect(await stateOf(from)).toEqual(before);
    await move(over, back);
    expect(await dump(back)).toEqual(held);

    const rows = (of: MovedDatabase, table: string) => of.tables.find((each) => each.table === table)?.rows;
    expect(rows(moved, 'audit_entries')).toBe(1_100);
    expect(moved.tables.filter((table) => table.rows === 0).map(({ table }) => table)).toEqual(['embeddings']);
  });

  test('ids go on where they were, and the next change works', async () => {
    const [from, to] = [await filledPlace(one), await newPlace(other)];
    await move(from, to);
    const { stores, close } = await openSqlStores(to);
    onTestFinished(() => close());
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    expect((await stores.limits.addOverride(profile.id, adding(anOverride()))).id).toBe(5);
    const [seq] = await runIn<{ seq: number }>(to, 'select max(seq) as seq from audit_entries');
    expect(Number(seq?.seq)).toBe(1_100);
  });

  test('a run that ends on its way leaves a target that is refused, and the next one starts over', async () => {
    const [from, to] = [await filledPlace(one), await newPlace(other)];
    const before = await stateOf(from);
    for (const part of [0, 0.3, 0.7, 1]) {
      await interrupted(from, to, part);
      await expect(openSqlStores(to)).rejects.toThrow(
        /cannot be opened: it is being filled from .*, which is not done\. Run "portico migrate" again to fill it anew, or drop/,
      );
      expect(await stateOf(from)).toEqual(before);
    }
    await move(from, to);
    expect(await dump(to)).toEqual(await moveAside(from, other));
    await (await openSqlStores(to)).close();
  });

  test('a target with tables is refused and stays as it is', async () => {
    const [from, to] = [await filledPlace(one), await newPlace(other)];
    await (await openSqlStores(to)).close();
    const before = await stateOf(to);
    await refused(from, to, /cannot be filled: it is not empty/);
    await runIn(to, "insert into schema_migrations (name) values ('9999-of-the-future')");
    await refused(from, to, 'it has the migration 9999-of-the-future, which this version does not know');
    await runIn(to, "delete from schema_migrations where name = '9999-of-the-future'");
    if (other === 'postgresql') expect(await stateOf(to)).toEqual(before);
    await runIn(to, 'drop table schema_migrations');
    await refused(from, to, /it is the SQLite database of another application|it is not empty/);
  });

  test('two runs do not fill one target', async () => {
    const [from, again, to] = [await filledPlace(one), await newPlace(one), await newPlace(other)];
    await (await openSqlStores(again)).close();
    const second: Promise<unknown>[] = [];
    await move(from, to, () => {
      if (second.length === 0) second.push(move(again, to).catch((error: unknown) => error));
    });
    expect(String(await second[0])).toMatch(/is filling it|a process uses it|it is not empty|it is being filled/);
    await (await openSqlStores(to)).close();
  });
};

/** What another undisturbed move makes of it. */
const moveAside = async (from: SqlConfig, kind: Kind) => {
  const to = await newPlace(kind);
  await move(from, to);
  return dump(to);
};

/** Defines the tests of what is refused as the source of a move. */
export const testSources = (kind: Kind): void => {
  test('is refused while a process has it open, and afterwards moved', async () => {
    const [from, to] = [await filledPlace(kind), await newPlace('sqlite')];
    const { settings, close } = await openSqlStores(from);
    await settings.get('pepper');
    await refused(
      from,
      to,
      /cannot be moved: a process uses it.*: stop the service, its workers and other commands first/,
    );
    expect(existsSync(addressOf(to))).toBe(false);
    await close();
    await move(from, to);
  });

  test('is refused if an earlier or a later version wrote it, or it is being filled', async () => {
    const [from, to] = [await filledPlace(kind), await newPlace('sqlite')];
    await runIn(from, "delete from schema_migrations where name = '0002-due-jobs-by-kind'");
    await refused(
      from,
      to,
      'its tables are of an earlier version (1 migration is missing). Back up, then run "portico migrate-tables"',
    );
    await runIn(from, "insert into schema_migrations (name) values ('0002-due-jobs-by-kind'), ('9999-of-the-future')");
    await refused(from, to, 'a newer version of Portico wrote it, or one that was never released');
    const half = await newPlace(kind);
    await interrupted(await filledPlace('sqlite'), half, 0.5);
    await refused(half, to, 'it is being filled from sqlite:');
  });

  test('is refused as its own target', async () => {
    const from = await filledPlace(kind);
    const before = await stateOf(from);
    const to: SqlConfig = from.kind === 'sqlite' ? from : { ...from, url: from.url.replace('127.0.0.1', 'localhost') };
    await refused(from, to, 'cannot be filled: it is the database to move');
    expect(await stateOf(from)).toEqual(before);
  });

  test('without tables of Portico is refused', async () => {
    const [from, to] = [await newPlace(kind), await newPlace('sqlite')];
    await runIn(from, 'create table things (id int)');
    await refused(from, to, /it is the SQLite database of another application|it is not a database of Portico/);
  });
};
