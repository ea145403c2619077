import { setImmediate, setTimeout } from 'node:timers/promises';
import {
  aCollection,
  aDocumentContent,
  anOperation,
  createDeadlineExpiringAtCommit,
  noEffects,
} from '@portico/contracts';
import type { Collection, CollectionId, Operation, OperationKey } from '@portico/domain';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { yieldEveryTime } from '../test/slices.ts';
import { describeDialects } from '../test/dialects.ts';
import { withMigratedFile, withStores } from '../test/with-stores.ts';
import { openSqlStores, type SqlStores } from './index.ts';

const noFilter = { tag: null, containing: null };

/** Returns more operations than one batch writes. */
const createManyOperations = (count = 4_000): readonly Operation[] =>
  Array.from({ length: count }, (_, number) =>
    anOperation({ key: `operation${number}`.padEnd(16, 'a') as OperationKey }),
  );

const replaceDocument = ({ stores }: SqlStores, id: CollectionId, digest: string, operations: readonly Operation[]) =>
  stores.collections.update(id, (current) => ({
    collection: { ...current, documentDigest: digest },
    document: aDocumentContent(digest, operations),
    ...noEffects,
  }));

const keysIn = async ({ stores }: SqlStores, { id }: Pick<Collection, 'id'>) =>
  (await stores.operations.list(id, noFilter, null)).map(({ key }) => key);

const keysOf = (operations: readonly Operation[]) => operations.map(({ key }) => key);

describeDialects(({ withDatabase }) => {
  test('operations of an outdated document, left by an earlier version, are hidden until they are replaced', () =>
    withDatabase(async (open, run) => {
      const collection = aCollection();
      const { id } = collection;
      const operation = anOperation();
      const { key } = operation;
      const { stores, close } = await open();
      await stores.collections.add(collection, aDocumentContent(undefined, [operation]), noEffects);
      const listVisibleOperations = async () => [
        (await stores.operations.list(id, noFilter, null)).length,
        (await stores.operations.find(id, key))?.key ?? null,
        (await stores.operations.findMany([{ collectionId: id, key }])).length,
      ];
      expect(await listVisibleOperations()).toEqual([1, key, 1]);
      await run(`update collections set document_digest = 'of another' where id = '${id}'`);
      expect(await listVisibleOperations()).toEqual([0, null, 0]);
      expect(await stores.operationBlocks.listOutdated('any')).toEqual([id]);
      expect(await stores.operations.replace(id, 'of another', [operation])).toBe(true);
      expect(await listVisibleOperations()).toEqual([1, key, 1]);
      await close();
    }));

  test.each([511, 512, 513, 2_048, 2_049])('listing %i operations returns all of them, in order', (count) =>
    withDatabase(async (open) => {
      const sqlStores = await open();
      const [collection, operations] = [aCollection(), createManyOperations(count)];
      await sqlStores.stores.collections.add(collection, aDocumentContent(undefined, operations), noEffects);
      expect(await keysIn(sqlStores, collection)).toEqual(keysOf(operations));
      await sqlStores.close();
    }),
  );

  test('a list has the operations of a single document, even if the document is replaced during the read', () =>
    withDatabase(async (open) => {
      const sqlStores = await open();
      const [collection, operations] = [aCollection(), createManyOperations(2_000)];
      await sqlStores.stores.collections.add(collection, aDocumentContent(undefined, operations), noEffects);
      const otherOperations = operations.toReversed().slice(0, 1_500);
      let isDone = false;
      const changes = (async () => {
        for (let round = 0; round < 6; round += 1) {
          await setTimeout(30);
          await replaceDocument(
            sqlStores,
            collection.id,
            `document ${round}`,
            round % 2 ? operations : otherOperations,
          );
        }
        isDone = true;
      })();
      const [lists, validLists] = [new Set<string>(), [[], keysOf(operations), keysOf(otherOperations)].map(String)];
      for (; !isDone; await setImmediate()) lists.add(String(await keysIn(sqlStores, collection)));
      await changes;
      expect([...lists].filter((keys) => !validLists.includes(keys))).toEqual([]);
      expect(lists.size).toBeGreaterThan(1);
      await sqlStores.close();
    }));
});

test.each([600, 1_500])(
  'when %i operations are replaced, those with the same content and position are not rewritten',
  (count) =>
    withMigratedFile(async (file) => {
      const sqlStores = await openSqlStores({ kind: 'sqlite', file });
      const [collection, operations] = [aCollection(), createManyOperations(count)];
      await sqlStores.stores.collections.add(collection, aDocumentContent(undefined, operations), noEffects);
      const connection = new SqliteDriver(file);
      connection.exec(`create trigger again before update on operations
      begin select raise(abort, 'it is written again'); end`);
      connection.close();
      const nextOperations = [...operations.slice(0, -2), anOperation({ key: 'b'.repeat(16) as OperationKey })];
      await replaceDocument(sqlStores, collection.id, 'next', nextOperations);
      expect(await keysIn(sqlStores, collection)).toEqual(keysOf(nextOperations));
      await sqlStores.close();
    }),
);

/** Repeatedly counts how many of the first and the last operation exist, until the change is done. */
const countDuring = async (
  { stores }: SqlStores,
  { id }: Collection,
  firstAndLast: readonly Operation[],
  change: Promise<unknown>,
): Promise<readonly number[]> => {
  let isDone = false;
  const onDone = () => void (isDone = true);
  change.then(onDone, onDone);
  const counts: number[] = [];
  for (; !isDone; await setImmediate()) {
    const matches = await stores.operations.findMany(firstAndLast.map(({ key }) => ({ collectionId: id, key })));
    counts.push(matches.length);
  }
  return counts;
};

test('while many operations change, SQLite can be read, and shows either all old or all new operations', () =>
  withStores(async (sqlStores) => {
    yieldEveryTime();
    const [collection, operations] = [aCollection(), createManyOperations(12_000)];
    const { collections } = sqlStores.stores;
    const firstAndLast = [...operations.slice(0, 1), ...operations.slice(-1)];
    const countsBeforeEnd = async (change: Promise<unknown>) =>
      (await countDuring(sqlStores, collection, firstAndLast, change)).slice(0, -1);
    const countsDuringAdd = await countsBeforeEnd(
      collections.add(collection, aDocumentContent(undefined, operations), noEffects),
    );
    expect(countsDuringAdd.length).toBeGreaterThan(3);
    expect(new Set(countsDuringAdd)).toEqual(new Set([0]));
    expect(await keysIn(sqlStores, collection)).toEqual(keysOf(operations));
    const countsDuringReplace = await countsBeforeEnd(replaceDocument(sqlStores, collection.id, 'next', []));
    expect(countsDuringReplace.length).toBeGreaterThan(3);
    expect(new Set(countsDuringReplace)).toEqual(new Set([2]));
    expect(await keysIn(sqlStores, collection)).toEqual([]);
  }));

test('while a collection with many operations is deleted, SQLite can be read, and shows all of it or nothing', () =>
  withStores(async (sqlStores) => {
    yieldEveryTime();
    const [collection, operations] = [aCollection(), createManyOperations(12_000)];
    const { collections } = sqlStores.stores;
    await collections.add(collection, aDocumentContent(undefined, operations), noEffects);
    const firstAndLast = [...operations.slice(0, 1), ...operations.slice(-1)];
    const lateRemoval = collections.remove(collection.id, () => ({
      ...noEffects,
      deadline: createDeadlineExpiringAtCommit(),
    }));
    const [counts] = await Promise.all([
      countDuring(sqlStores, collection, firstAndLast, lateRemoval),
      expect(lateRemoval).rejects.toMatchObject({ code: 'timed_out' }),
    ]);
    expect(counts.length).toBeGreaterThan(3);
    expect(new Set(counts)).toEqual(new Set([2]));
    expect(await keysIn(sqlStores, collection)).toEqual(keysOf(operations));
    const removal = collections.remove(collection.id, () => noEffects);
    const countsDuringRemoval = await countDuring(sqlStores, collection, firstAndLast, removal);
    expect(countsDuringRemoval.filter((count) => count === 2).length).toBeGreaterThan(3);
    expect(await keysIn(sqlStores, collection)).toEqual([]);
    expect(await collections.find(collection.id)).toBeNull();
  }));

test('if documents replace each other concurrently, the operations of the last document are stored', () =>
  withStores(async (sqlStores) => {
    const collection = aCollection();
    const { id, documentDigest } = collection;
    const [allOperations, fewerOperations, otherOperations] = [
      createManyOperations(),
      createManyOperations(3_000),
      createManyOperations(5_000).slice(2_500),
    ];
    // The first document is stored again before all of its operations have been written.
    await Promise.all([
      sqlStores.stores.collections.add(collection, aDocumentContent(documentDigest, allOperations), noEffects),
      replaceDocument(sqlStores, id, 'second', otherOperations),
      replaceDocument(sqlStores, id, 'third', fewerOperations),
      replaceDocument(sqlStores, id, documentDigest, allOperations),
    ]);
    expect(await sqlStores.stores.operations.findDigest(id)).toBe(documentDigest);
    expect(await keysIn(sqlStores, collection)).toEqual(keysOf(allOperations));
  }));
