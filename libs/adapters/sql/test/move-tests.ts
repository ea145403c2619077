import { existsSync } from 'node:fs';
import { aProfile, createAddDecision, anOverride, noEffects } from '@portico/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { dump, createFilledDatabase, createDatabaseConfig, runIn, stateOf, type Kind } from './movable.ts';
import { moveDatabase, openSqlStores, type MovedDatabase, type SqlConfig } from '../src/index.ts';

const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export const move = (from: SqlConfig, to: SqlConfig, onProgress: (done: number, total: number) => void = ignore) =>
  moveDatabase(from, to, { log, onProgress });

/** Interrupts a move after this fraction of it, like a crash. */
const interruptMove = async (from: SqlConfig, to: SqlConfig, fraction: number): Promise<void> => {
  const crash = (done: number, total: number) => {
    if (done >= total * fraction) throw new Error('crashed');
  };
  await expect(move(from, to, crash)).rejects.toThrow('crashed');
};

export const addressOf = (config: SqlConfig): string =>
  config.kind === 'sqlite' ? config.file : new URL(config.url).host;

export const expectMoveError = async (from: SqlConfig, to: SqlConfig, expected: string | RegExp): Promise<void> => {
  const moveAttempt = move(from, to);
  await expect(moveAttempt).rejects.toThrow(expected);
  const { message } = (await moveAttempt.catch((error: unknown) => error)) as Error;
  expect(message).not.toMatch(/postgres(ql)?:\/\/[^/]*@/);
};

/** Defines the tests for moves from one kind of database to another. */
export const testMoves = (kind: Kind, otherKind: Kind): void => {
  test('a database moved there and back is identical, down to the type of each value; the source is unchanged', async () => {
    const [from, target, copy] = [
      await createFilledDatabase(kind),
      await createDatabaseConfig(otherKind),
      await createDatabaseConfig(kind),
    ];
    const [before, content] = [await stateOf(from), await dump(from)];
    const result = await move(from, target);
    expect(await stateOf(from)).toEqual(before);
    await move(target, copy);
    expect(await dump(copy)).toEqual(content);

    const rows = (database: MovedDatabase, table: string) =>
      database.tables.find((movedTable) => movedTable.table === table)?.rows;
    expect(rows(result, 'audit_entries')).toBe(1_100);
    expect(result.tables.filter((table) => table.rows === 0).map(({ table }) => table)).toEqual(['embeddings']);
  });

  test('ids continue where they were, and the next change works', async () => {
    const [from, to] = [await createFilledDatabase(kind), await createDatabaseConfig(otherKind)];
    await move(from, to);
    const { stores, close } = await openSqlStores(to);
    onTestFinished(() => close());
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    expect((await stores.limits.addOverride(profile.id, createAddDecision(anOverride()))).id).toBe(5);
    const [seq] = await runIn<{ seq: number }>(to, 'select max(seq) as seq from audit_entries');
    expect(Number(seq?.seq)).toBe(1_100);
  });

  test('an aborted run leaves a target that is rejected, and the next run starts over', async () => {
    const [from, to] = [await createFilledDatabase(kind), await createDatabaseConfig(otherKind)];
    const before = await stateOf(from);
    for (const fraction of [0, 0.3, 0.7, 1]) {
      await interruptMove(from, to, fraction);
      await expect(openSqlStores(to)).rejects.toThrow(
        /cannot be opened: it is being filled from .*, which has not finished\. Run "portico migrate" again to start over, or drop/,
      );
      expect(await stateOf(from)).toEqual(before);
    }
    await move(from, to);
    expect(await dump(to)).toEqual(await moveAndDump(from, otherKind));
    await (await openSqlStores(to)).close();
  });

  test('a target with tables is rejected and left unchanged', async () => {
    const [from, to] = [await createFilledDatabase(kind), await createDatabaseConfig(otherKind)];
    await (await openSqlStores(to)).close();
    const before = await stateOf(to);
    await expectMoveError(from, to, /cannot be filled: it is not empty/);
    await runIn(to, "insert into schema_migrations (name) values ('9999-of-the-future')");
    await expectMoveError(from, to, 'it has the migration 9999-of-the-future, which this version does not know');
    await runIn(to, "delete from schema_migrations where name = '9999-of-the-future'");
    if (otherKind === 'postgresql') expect(await stateOf(to)).toEqual(before);
    await runIn(to, 'drop table schema_migrations');
    await expectMoveError(from, to, /it is the SQLite database of another application|it is not empty/);
  });

  test('two runs cannot fill the same target', async () => {
    const [from, otherSource, to] = [
      await createFilledDatabase(kind),
      await createDatabaseConfig(kind),
      await createDatabaseConfig(otherKind),
    ];
    await (await openSqlStores(otherSource)).close();
    const secondMoves: Promise<unknown>[] = [];
    await move(from, to, () => {
      if (secondMoves.length === 0) secondMoves.push(move(otherSource, to).catch((error: unknown) => error));
    });
    expect(String(await secondMoves[0])).toMatch(
      /is filling it|it is in use by a process|it is not empty|it is being filled/,
    );
    await (await openSqlStores(to)).close();
  });
};

/** Returns the result of another move, which is not interrupted. */
const moveAndDump = async (from: SqlConfig, kind: Kind) => {
  const to = await createDatabaseConfig(kind);
  await move(from, to);
  return dump(to);
};

/** Defines the tests for databases that are rejected as the source of a move. */
export const testSources = (kind: Kind): void => {
  test('is rejected while a process has it open, and moved afterwards', async () => {
    const [from, to] = [await createFilledDatabase(kind), await createDatabaseConfig('sqlite')];
    const { settings, close } = await openSqlStores(from);
    await settings.get('pepper');
    await expectMoveError(
      from,
      to,
      /cannot be moved: it is in use by a process.*: stop the service, its workers and other commands first/,
    );
    expect(existsSync(addressOf(to))).toBe(false);
    await close();
    await move(from, to);
  });

  test('is rejected if an earlier or a later version wrote it, or it is being filled', async () => {
    const [from, to] = [await createFilledDatabase(kind), await createDatabaseConfig('sqlite')];
    await runIn(from, "delete from schema_migrations where name = '0002-due-jobs-by-kind'");
    await expectMoveError(
      from,
      to,
      'its schema is outdated (1 migration is missing). Back up the database, then run "portico migrate-tables"',
    );
    await runIn(from, "insert into schema_migrations (name) values ('0002-due-jobs-by-kind'), ('9999-of-the-future')");
    await expectMoveError(from, to, 'a newer or unreleased version of Portico wrote it');
    const incompleteTarget = await createDatabaseConfig(kind);
    await interruptMove(await createFilledDatabase('sqlite'), incompleteTarget, 0.5);
    await expectMoveError(incompleteTarget, to, 'it is being filled from sqlite:');
  });

  test('is rejected as its own target', async () => {
    const from = await createFilledDatabase(kind);
    const before = await stateOf(from);
    const to: SqlConfig = from.kind === 'sqlite' ? from : { ...from, url: from.url.replace('127.0.0.1', 'localhost') };
    await expectMoveError(from, to, 'cannot be filled: it is the source of the move');
    expect(await stateOf(from)).toEqual(before);
  });

  test('without Portico tables is rejected', async () => {
    const [from, to] = [await createDatabaseConfig(kind), await createDatabaseConfig('sqlite')];
    await runIn(from, 'create table things (id int)');
    await expectMoveError(from, to, /it is the SQLite database of another application|it is not a Portico database/);
  });
};
