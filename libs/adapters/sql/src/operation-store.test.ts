import { setImmediate, setTimeout } from 'node:timers/promises';
import { aCollection, aContent, anOperation, expiringAtCommit, noEffects } from '@portico/contracts';
import type { Collection, CollectionId, Operation, OperationKey } from '@portico/domain';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { yieldEveryTime } from '../test/slices.ts';
import { describeDialects } from '../test/dialects.ts';
import { withMigratedFile, withStores } from '../test/with-stores.ts';
import { openSqlStores, type SqlStores } from './index.ts';

const all = { tag: null, containing: null };

/** Returns more operations than one batch writes. */
const manyOperations = (count = 4_000): readonly Operation[] =>
  Array.from({ length: count }, (_, number) =>
    anOperation({ key: `operation${number}`.padEnd(16, 'a') as OperationKey }),
  );

const replaceDocument = ({ stores }: SqlStores, id: CollectionId, digest: string, operations: readonly Operation[]) =>
  stores.collections.update(id, (current) => ({
    collection: { ...current, documentDigest: digest },
    document: aContent(digest, operations),
    ...noEffects,
  }));

const keysIn = async ({ stores }: SqlStores, { id }: Pick<Collection, 'id'>) =>
  (await stores.operations.list(id, all, null)).map(({ key }) => key);

const keysOf = (operations: readonly Operation[]) => operations.map(({ key }) => key);

describeDialects(({ withDatabase }) => {
  test('operations of an outdated document, left by an earlier version, are hidden until they are replaced', () =>
    withDatabase(async (open, run) => {
      const collection = aCollection();
      const { id } = collection;
      const operation = anOperation();
      const { key } = operation;
      const { stores, close } = await open();
      await stores.collections.add(collection, aContent(undefined, [operation]), noEffects);
      const visibleOperations = async () => [
        (await stores.operations.list(id, all, null)).length,
        (await stores.operations.find(id, key))?.key ?? null,
        (await stores.operations.findMany([{ collectionId: id, key }])).length,
      ];
      expect(await visibleOperations()).toEqual([1, key, 1]);
      await run(`update collections set document_digest = 'of another' where id = '${id}'`);
      expect(await visibleOperations()).toEqual([0, null, 0]);
      expect(await stores.operationBlocks.outdated('any')).toEqual([id]);
      expect(await stores.operations.replace(id, 'of another', [operation])).toBe(true);
      expect(await visibleOperations()).toEqual([1, key, 1]);
      await close();
    }));

  test.each([511, 512, 513, 2_048, 2_049])('a list of %i operations has all of them, in order', (count) =>
    withDatabase(async (open) => {
      const opened = await open();
      const [collection, operations] = [aCollection(), manyOperations(count)];
      await opened.stores.collections.add(collection, aContent(undefined, operations), noEffects);
      expect(await keysIn(opened, collection)).toEqual(keysOf(operations));
      await opened.close();
    }),
  );

  test('a list has the operations of a single document, even if the document is replaced during the read', () =>
    withDatabase(async (open) => {
      const opened = await open();
      const [collection, operations] = [aCollection(), manyOperations(2_000)];
      await opened.stores.collections.add(collection, aContent(undefined, operations), noEffects);
      const otherOperations = operations.toReversed().slice(0, 1_500);
      let isDone = false;
      const changes = (async () => {
        for (let round = 0; round < 6; round += 1) {
          await setTimeout(30);
          await replaceDocument(opened, collection.id, `document ${round}`, round % 2 ? operations : otherOperations);
        }
        isDone = true;
      })();
      const [lists, validLists] = [new Set<string>(), [[], keysOf(operations), keysOf(otherOperations)].map(String)];
      for (; !isDone; await setImmediate()) lists.add(String(await keysIn(opened, collection)));
      await changes;
      expect([...lists].filter((keys) => !validLists.includes(keys))).toEqual([]);
      expect(lists.size).toBeGreaterThan(1);
      await opened.close();
    }));
});

test.each([600, 1_500])('of %i operations, the ones with the same content and position are not rewritten', (count) =>
  withMigratedFile(async (file) => {
    const opened = await openSqlStores({ kind: 'sqlite', file });
    const [collection, stored] = [aCollection(), manyOperations(count)];
    await opened.stores.collections.add(collection, aContent(undefined, stored), noEffects);
    const connection = new SqliteDriver(file);
    connection.exec(`create trigger again before update on operations
      begin select raise(abort, 'it is written again'); end`);
    connection.close();
    const nextOperations = [...stored.slice(0, -2), anOperation({ key: 'b'.repeat(16) as OperationKey })];
    await replaceDocument(opened, collection.id, 'next', nextOperations);
    expect(await keysIn(opened, collection)).toEqual(keysOf(nextOperations));
    await opened.close();
  }),
);

/** Repeatedly counts how many of the first and the last operation exist, until the change is done. */
const countDuring = async (
  { stores }: SqlStores,
  { id }: Collection,
  ends: readonly Operation[],
  change: Promise<unknown>,
): Promise<readonly number[]> => {
  let isDone = false;
  const onDone = () => void (isDone = true);
  change.then(onDone, onDone);
  const counts: number[] = [];
  for (; !isDone; await setImmediate()) {
    const matches = await stores.operations.findMany(ends.map(({ key }) => ({ collectionId: id, key })));
    counts.push(matches.length);
  }
  return counts;
};

test('while many operations change, SQLite can be read, and shows either all old or all new operations', () =>
  withStores(async (opened) => {
    yieldEveryTime();
    const [collection, stored] = [aCollection(), manyOperations(12_000)];
    const { collections } = opened.stores;
    const ends = [...stored.slice(0, 1), ...stored.slice(-1)];
    const countsBeforeEnd = async (change: Promise<unknown>) =>
      (await countDuring(opened, collection, ends, change)).slice(0, -1);
    const countsDuringAdd = await countsBeforeEnd(collections.add(collection, aContent(undefined, stored), noEffects));
    expect(countsDuringAdd.length).toBeGreaterThan(3);
    expect(new Set(countsDuringAdd)).toEqual(new Set([0]));
    expect(await keysIn(opened, collection)).toEqual(keysOf(stored));
    const countsDuringReplace = await countsBeforeEnd(replaceDocument(opened, collection.id, 'next', []));
    expect(countsDuringReplace.length).toBeGreaterThan(3);
    expect(new Set(countsDuringReplace)).toEqual(new Set([2]));
    expect(await keysIn(opened, collection)).toEqual([]);
  }));

test('while a collection with many operations is deleted, SQLite can be read, and shows all of it or nothing', () =>
  withStores(async (opened) => {
    yieldEveryTime();
    const [collection, stored] = [aCollection(), manyOperations(12_000)];
    const { collections } = opened.stores;
    await collections.add(collection, aContent(undefined, stored), noEffects);
    const ends = [...stored.slice(0, 1), ...stored.slice(-1)];
    const lateRemoval = collections.remove(collection.id, () => ({ ...noEffects, deadline: expiringAtCommit() }));
    const [counts] = await Promise.all([
      countDuring(opened, collection, ends, lateRemoval),
      expect(lateRemoval).rejects.toMatchObject({ code: 'timed_out' }),
    ]);
    expect(counts.length).toBeGreaterThan(3);
    expect(new Set(counts)).toEqual(new Set([2]));
    expect(await keysIn(opened, collection)).toEqual(keysOf(stored));
    const removal = collections.remove(collection.id, () => noEffects);
    const countsDuringRemoval = await countDuring(opened, collection, ends, removal);
    expect(countsDuringRemoval.filter((count) => count === 2).length).toBeGreaterThan(3);
    expect(await keysIn(opened, collection)).toEqual([]);
    expect(await collections.find(collection.id)).toBeNull();
  }));

test('if documents replace each other concurrently, the operations of the last document are stored', () =>
  withStores(async (opened) => {
    const collection = aCollection();
    const { id, documentDigest } = collection;
    const [all, fewer, others] = [manyOperations(), manyOperations(3_000), manyOperations(5_000).slice(2_500)];
    // The first document is stored again before all of its operations have been written.
    await Promise.all([
      opened.stores.collections.add(collection, aContent(documentDigest, all), noEffects),
      replaceDocument(opened, id, 'second', others),
      replaceDocument(opened, id, 'third', fewer),
      replaceDocument(opened, id, documentDigest, all),
    ]);
    expect(await opened.stores.operations.digest(id)).toBe(documentDigest);
    expect(await keysIn(opened, collection)).toEqual(keysOf(all));
  }));
