import { setImmediate, setTimeout } from 'node:timers/promises';
import { aCollection, aContent, anOperation, expiringAtCommit, noEffects } from '@portico/contracts';
import type { Collection, CollectionId, Operation, OperationKey } from '@portico/domain';
import SqliteDriver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { endSlicesAtOnce } from '../test/slices.ts';
import { describeDialects } from '../test/dialects.ts';
import { withMigratedFile, withStores } from '../test/with-stores.ts';
import { openSqlStores, type SqlStores } from './index.ts';

const all = { tag: null, containing: null };

/** More than are written at a stretch. */
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

describeDialects(({ withPlace }) => {
  test('operations that an earlier version left of another document are not shown until those of the stored one are', () =>
    withPlace(async (open, run) => {
      const collection = aCollection();
      const { id } = collection;
      const operation = anOperation();
      const { key } = operation;
      const { stores, close } = await open();
      await stores.collections.add(collection, aContent(undefined, [operation]), noEffects);
      const shown = async () => [
        (await stores.operations.list(id, all, null)).length,
        (await stores.operations.find(id, key))?.key ?? null,
        (await stores.operations.found([{ collectionId: id, key }])).length,
      ];
      expect(await shown()).toEqual([1, key, 1]);
      await run(`update collections set document_digest = 'of another' where id = '${id}'`);
      expect(await shown()).toEqual([0, null, 0]);
      expect(await stores.operationBlocks.outdated('any')).toEqual([id]);
      expect(await stores.operations.replace(id, 'of another', [operation])).toBe(true);
      expect(await shown()).toEqual([1, key, 1]);
      await close();
    }));

  test.each([511, 512, 513, 2_048, 2_049])('a list of %i operations has all of them, in order', (count) =>
    withPlace(async (open) => {
      const opened = await open();
      const [collection, operations] = [aCollection(), manyOperations(count)];
      await opened.stores.collections.add(collection, aContent(undefined, operations), noEffects);
      expect(await keysIn(opened, collection)).toEqual(keysOf(operations));
      await opened.close();
    }),
  );

  test('a list is of one document, even if it is replaced meanwhile', () =>
    withPlace(async (open) => {
      const opened = await open();
      const [collection, one] = [aCollection(), manyOperations(2_000)];
      await opened.stores.collections.add(collection, aContent(undefined, one), noEffects);
      const other = one.toReversed().slice(0, 1_500);
      let isOver = false;
      const changing = (async () => {
        for (let round = 0; round < 6; round += 1) {
          await setTimeout(30);
          await replaceDocument(opened, collection.id, `document ${round}`, round % 2 ? one : other);
        }
        isOver = true;
      })();
      const [found, whole] = [new Set<string>(), [[], keysOf(one), keysOf(other)].map(String)];
      for (; !isOver; await setImmediate()) found.add(String(await keysIn(opened, collection)));
      await changing;
      expect([...found].filter((keys) => !whole.includes(keys))).toEqual([]);
      expect(found.size).toBeGreaterThan(1);
      await opened.close();
    }));
});

test.each([600, 1_500])('of %i operations those that are the same at their place are not written again', (count) =>
  withMigratedFile(async (file) => {
    const opened = await openSqlStores({ kind: 'sqlite', file });
    const [collection, stored] = [aCollection(), manyOperations(count)];
    await opened.stores.collections.add(collection, aContent(undefined, stored), noEffects);
    const connection = new SqliteDriver(file);
    connection.exec(`create trigger again before update on operations
      begin select raise(abort, 'it is written again'); end`);
    connection.close();
    const next = [...stored.slice(0, -2), anOperation({ key: 'b'.repeat(16) as OperationKey })];
    await replaceDocument(opened, collection.id, 'next', next);
    expect(await keysIn(opened, collection)).toEqual(keysOf(next));
    await opened.close();
  }),
);

/** How many of the first and the last operation were found, again and again until the change was over. */
const seenDuring = async (
  { stores }: SqlStores,
  { id }: Collection,
  ends: readonly Operation[],
  change: Promise<unknown>,
): Promise<readonly number[]> => {
  let isOver = false;
  const over = () => void (isOver = true);
  change.then(over, over);
  const seen: number[] = [];
  for (; !isOver; await setImmediate()) {
    const found = await stores.operations.found(ends.map(({ key }) => ({ collectionId: id, key })));
    seen.push(found.length);
  }
  return seen;
};

test('while many operations change, SQLite lets others read, and shows all of those before or all of those after', () =>
  withStores(async (opened) => {
    endSlicesAtOnce();
    const [collection, stored] = [aCollection(), manyOperations(12_000)];
    const { collections } = opened.stores;
    const ends = [...stored.slice(0, 1), ...stored.slice(-1)];
    const seen = async (change: Promise<unknown>) => (await seenDuring(opened, collection, ends, change)).slice(0, -1);
    const none = await seen(collections.add(collection, aContent(undefined, stored), noEffects));
    expect(none.length).toBeGreaterThan(3);
    expect(new Set(none)).toEqual(new Set([0]));
    expect(await keysIn(opened, collection)).toEqual(keysOf(stored));
    const all = await seen(replaceDocument(opened, collection.id, 'next', []));
    expect(all.length).toBeGreaterThan(3);
    expect(new Set(all)).toEqual(new Set([2]));
    expect(await keysIn(opened, collection)).toEqual([]);
  }));

test('while a collection with many operations is deleted, SQLite lets others read it, and keeps all of it or nothing', () =>
  withStores(async (opened) => {
    endSlicesAtOnce();
    const [collection, stored] = [aCollection(), manyOperations(12_000)];
    const { collections } = opened.stores;
    await collections.add(collection, aContent(undefined, stored), noEffects);
    const ends = [...stored.slice(0, 1), ...stored.slice(-1)];
    const late = collections.remove(collection.id, () => ({ ...noEffects, deadline: expiringAtCommit() }));
    const [seen] = await Promise.all([
      seenDuring(opened, collection, ends, late),
      expect(late).rejects.toMatchObject({ code: 'timed_out' }),
    ]);
    expect(seen.length).toBeGreaterThan(3);
    expect(new Set(seen)).toEqual(new Set([2]));
    expect(await keysIn(opened, collection)).toEqual(keysOf(stored));
    const removal = collections.remove(collection.id, () => noEffects);
    const seenAtLast = await seenDuring(opened, collection, ends, removal);
    expect(seenAtLast.filter((count) => count === 2).length).toBeGreaterThan(3);
    expect(await keysIn(opened, collection)).toEqual([]);
    expect(await collections.find(collection.id)).toBeNull();
  }));

test('of documents that replace each other at once, the operations of the last one are stored', () =>
  withStores(async (opened) => {
    const collection = aCollection();
    const { id, documentDigest } = collection;
    const [all, fewer, others] = [manyOperations(), manyOperations(3_000), manyOperations(5_000).slice(2_500)];
    // The first one is back before it was all written.
    await Promise.all([
      opened.stores.collections.add(collection, aContent(documentDigest, all), noEffects),
      replaceDocument(opened, id, 'second', others),
      replaceDocument(opened, id, 'third', fewer),
      replaceDocument(opened, id, documentDigest, all),
    ]);
    expect(await opened.stores.operations.digest(id)).toBe(documentDigest);
    expect(await keysIn(opened, collection)).toEqual(keysOf(all));
  }));
