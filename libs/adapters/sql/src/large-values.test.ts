import { setImmediate } from 'node:timers/promises';
import {
  aCollection,
  aContent,
  anOperationBlock,
  deadlineByHand,
  noEffects,
  withSteppingClock,
} from '@portico/contracts';
import type { Collection, CollectionStore, DocumentContent } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { describeDialects, type RunSql } from '../test/dialects.ts';
import { withMigratedFile } from '../test/with-stores.ts';
import { openSqlStores, type SqlStores } from './index.ts';

const chunkLength = 2 ** 19;
const inRowMax = 2 ** 20;

/** No byte is that of another place. */
const bytesOf = (length: number, seed = 1): Uint8Array => {
  const numbers = new Uint32Array(Math.ceil(length / 4)).map((_, place) => place * 2_654_435_761 + seed);
  return new Uint8Array(numbers.buffer).subarray(0, length);
};

/** Megabytes that differ are not to be printed. */
const isSame = (read: Uint8Array | undefined, bytes: Uint8Array): boolean => Buffer.from(read ?? []).equals(bytes);

const contentOf = (length: number, seed?: number): DocumentContent => {
  const content = aContent();
  return { ...content, packed: { ...content.packed, deflated: bytesOf(length, seed) } };
};

type Subject = { readonly collections: CollectionStore };

const added = async ({ collections }: Subject, content: DocumentContent): Promise<Collection> => {
  const collection = aCollection();
  await collections.add(collection, content, noEffects);
  return collection;
};

const replace = ({ collections }: Subject, { id }: Collection, document: DocumentContent, digest = 'next') =>
  collections.update(id, (current) => ({
    collection: { ...current, documentDigest: digest },
    document,
    ...noEffects,
  }));

const deflatedOf = async ({ collections }: Subject, { id }: Collection) =>
  (await collections.document(id))?.packed.deflated;

const chunksIn = async (run: RunSql): Promise<number> =>
  Number((await run<{ count: number }>('select count(*) as count from chunks', []))[0]?.count);

const onSqlite = (work: (opened: SqlStores, run: RunSql) => Promise<void>): Promise<void> =>
  withMigratedFile(async (file) => {
    const { default: SqliteDriver } = await import('better-sqlite3');
    const opened = await openSqlStores({ kind: 'sqlite', file });
    const connection = new SqliteDriver(file);
    const run: RunSql = async <Row>(sql: string, parameters: readonly unknown[] = []) => {
      const statement = connection.prepare<unknown[], Row>(sql);
      if (statement.reader) return statement.all(...parameters);
      statement.run(...parameters);
      return [];
    };
    try {
      await work(opened, run);
    } finally {
      connection.close();
      await opened.close();
    }
  });

describeDialects(({ withPlace }) => {
  test.each([1, inRowMax, inRowMax + 1, 3 * chunkLength, 3 * chunkLength + 1, 5_000_000])(
    'a document of %i bytes comes back as it was, replaces another one and is replaced',
    (length) =>
      withPlace(async (open) => {
        const { stores, close } = await open();
        const collection = await added(stores, contentOf(length));
        expect(isSame(await deflatedOf(stores, collection), bytesOf(length))).toBe(true);
        await replace(stores, collection, contentOf(length, 2));
        expect(isSame(await deflatedOf(stores, collection), bytesOf(length, 2))).toBe(true);
        await replace(stores, collection, contentOf(10, 3), 'last');
        expect(isSame(await deflatedOf(stores, collection), bytesOf(10, 3))).toBe(true);
        await close();
      }),
  );

  test('a document comes whole, of one version, even if it is replaced while it is read', () =>
    withPlace(async (open) => {
      const { stores, close } = await open();
      const collection = await added(stores, contentOf(4 * chunkLength));
      const versions = Array.from({ length: 7 }, (_, version) => contentOf((version + 2) * chunkLength, version + 2));
      let isOver = false;
      const replacing = (async () => {
        for (const [at, version] of versions.entries()) await replace(stores, collection, version, `version ${at}`);
        isOver = true;
      })();
      let reads = 0;
      for (; !isOver; reads += 1) {
        const read = Buffer.from((await withSteppingClock(10, () => deflatedOf(stores, collection))) ?? []);
        const seed = Buffer.from(read).readUInt32LE(0);
        expect(read.equals(bytesOf(read.length, seed))).toBe(true);
      }
      await replacing;
      expect(reads).toBeGreaterThan(1);
      await close();
    }));

  test('is read from its chunks where another kind of database wrote them', () =>
    withPlace(async (open, run) => {
      const { stores, close } = await open();
      const collection = await added(stores, contentOf(1));
      const whole = bytesOf(chunkLength + 7);
      for (const start of [0, chunkLength]) {
        const row = [collection.id, 'c', start, 1, Buffer.from(whole.subarray(start, start + chunkLength))];
        await run(
          'insert into chunks (collection_id, content_id, start, written_at, bytes) values (?, ?, ?, ?, ?)',
          row,
        );
      }
      await run('update documents set deflated = ?, content_id = ?', [Buffer.alloc(0), 'c']);
      expect(isSame(await deflatedOf(stores, collection), whole)).toBe(true);
      await replace(stores, collection, contentOf(3));
      expect(await chunksIn(run)).toBe(0);
      await close();
    }));

  test('what the version before wrote into the row is what is read, though the row has an id of chunks', () =>
    withPlace(async (open, run) => {
      const { stores, close } = await open();
      const collection = await added(stores, contentOf(5));
      await run('update documents set content_id = ?', ['of chunks that are gone']);
      expect(isSame(await deflatedOf(stores, collection), bytesOf(5))).toBe(true);
      await close();
    }));

  test('missing chunks are an error, not half a document', () =>
    withPlace(async (open, run) => {
      const { stores, close } = await open();
      const collection = await added(stores, contentOf(5));
      await run('update documents set content_id = ?, deflated = ?', ['gone', Buffer.alloc(0)]);
      await expect(stores.collections.document(collection.id)).rejects.toThrow(/Chunks of the document .* are missing/);
      await stores.operationBlocks.put(anOperationBlock(collection, { packed: bytesOf(5) }));
      await run('update operation_blocks set content_id = ?, packed = ?', ['gone', Buffer.alloc(0)]);
      await expect(stores.operationBlocks.changedSince(0, 'm1', 9)).rejects.toThrow(/Chunks .* are missing/);
      await close();
    }));
});

describe('chunks on SQLite', () => {
  const large = 3 * chunkLength;

  test('are those of large values alone', () =>
    onSqlite(async ({ stores }, run) => {
      await added(stores, contentOf(inRowMax));
      expect(await chunksIn(run)).toBe(0);
      const collection = await added(stores, contentOf(inRowMax + 1));
      expect(await chunksIn(run)).toBe(3);
      await stores.operationBlocks.put(anOperationBlock(collection, { packed: bytesOf(large) }));
      expect(await chunksIn(run)).toBe(6);
    }));

  test('go with the document that they are of, and with its collection', () =>
    onSqlite(async ({ stores }, run) => {
      const collection = await added(stores, contentOf(large));
      await replace(stores, collection, contentOf(2 * large, 2));
      expect(await chunksIn(run)).toBe(6);
      await stores.operationBlocks.put(
        anOperationBlock({ ...collection, documentDigest: 'next' }, { packed: bytesOf(large) }),
      );
      expect(await chunksIn(run)).toBe(9);
      await stores.collections.remove(collection.id, () => noEffects);
      expect(await chunksIn(run)).toBe(0);
    }));

  test('of a block go when it is replaced, refused, or of a model that is removed', () =>
    onSqlite(async ({ stores: { collections, operationBlocks } }, run) => {
      const collection = await added({ collections }, contentOf(1));
      const block = anOperationBlock(collection, { packed: bytesOf(large) });
      expect(await operationBlocks.put(block)).toBe(true);
      expect(await operationBlocks.put({ ...block, packed: bytesOf(2 * large) })).toBe(true);
      expect(await chunksIn(run)).toBe(6);
      expect(await operationBlocks.put({ ...block, documentDigest: 'of another' })).toBe(false);
      expect(await chunksIn(run)).toBe(6);
      expect(await operationBlocks.removeOthers('m2', 10)).toBe(1);
      expect(await chunksIn(run)).toBe(0);
    }));

  test('go if the change that they were for is not needed any more', () =>
    onSqlite(async ({ stores: { collections } }, run) => {
      const collection = await added({ collections }, contentOf(1));
      let decisions = 0;
      await collections.update(collection.id, (current) => {
        decisions += 1;
        if (decisions > 1) return null;
        return { collection: current, document: contentOf(large), ...noEffects };
      });
      expect(decisions).toBe(2);
      expect(await chunksIn(run)).toBe(0);
      expect(isSame(await deflatedOf({ collections }, collection), bytesOf(1))).toBe(true);
    }));

  test('are written for the document that is decided on last', () =>
    onSqlite(async ({ stores: { collections } }, run) => {
      const collection = await added({ collections }, contentOf(1));
      let decisions = 0;
      await collections.update(collection.id, (current) => {
        decisions = Math.min(decisions + 1, 3);
        return { collection: current, document: documents[decisions - 1] ?? contentOf(1), ...noEffects };
      });
      expect(isSame(await deflatedOf({ collections }, collection), bytesOf(large, 3))).toBe(true);
      expect(await chunksIn(run)).toBe(3);
    }));

  test('are not taken for those of a small document that is decided on last', () =>
    onSqlite(async ({ stores: { collections } }, run) => {
      const collection = await added({ collections }, contentOf(2 * large, 9));
      let decisions = 0;
      await collections.update(collection.id, (current) => {
        decisions += 1;
        return { collection: current, document: contentOf(decisions > 1 ? 7 : large, decisions), ...noEffects };
      });
      expect(isSame(await deflatedOf({ collections }, collection), bytesOf(7, 2))).toBe(true);
      expect(await chunksIn(run)).toBe(0);
    }));

  test('that are gone before their row is written keep it from being written', () =>
    onSqlite(async ({ stores: { collections } }, run) => {
      const collection = await added({ collections }, contentOf(1));
      const document = contentOf(large);
      let decisions = 0;
      const updating = collections.update(collection.id, (current) => {
        decisions += 1;
        return { collection: decisions > 1 ? { ...current, name: 'Changed' } : current, document, ...noEffects };
      });
      while ((await chunksIn(run)) < 3) await setImmediate();
      await run('delete from chunks where start > 0', []);
      await expect(updating).rejects.toThrow('Chunks were removed');
      expect(isSame(await deflatedOf({ collections }, collection), bytesOf(1))).toBe(true);
    }));
  const documents = [contentOf(large, 1), contentOf(2 * large, 2), contentOf(large, 3)];

  test('that no row refers to are removed after an hour, from the next large value on', () =>
    onSqlite(async ({ stores }, run) => {
      const kept = await added(stores, contentOf(large));
      await stores.operationBlocks.put(anOperationBlock(kept, { packed: bytesOf(large, 2) }));
      const hour = 3_600_000;
      const left = [
        ['young', Date.now() - hour + 60_000],
        ['old', Date.now() - hour - 1_000],
      ] as const;
      for (const [contentId, writtenAt] of left) {
        for (const start of [0, chunkLength]) {
          await run('insert into chunks (collection_id, content_id, start, written_at, bytes) values (?, ?, ?, ?, ?)', [
            kept.id,
            contentId,
            start,
            writtenAt,
            Buffer.alloc(1),
          ]);
        }
      }
      await run('update chunks set written_at = 1 where content_id not in (?, ?)', ['young', 'old']);
      await added(stores, contentOf(1));
      expect(await chunksIn(run)).toBe(10);
      await added(stores, contentOf(large));
      expect(await chunksIn(run)).toBe(11);
      expect(await run('select 1 from chunks where content_id = ?', ['old'])).toEqual([]);
      expect(isSame(await deflatedOf(stores, kept), bytesOf(large))).toBe(true);
      const [block] = await stores.operationBlocks.changedSince(0, 'm1', 9);
      expect(isSame(block?.packed, bytesOf(large, 2))).toBe(true);
    }));

  test('of the block that was stored last are not read while its bytes are there; those of another one are', () =>
    onSqlite(async ({ stores }, run) => {
      const [one, other] = [await added(stores, contentOf(1)), await added(stores, contentOf(1))];
      const bytes = [bytesOf(large, 1), bytesOf(large, 2)] as const;
      for (const [at, collection] of [one, other].entries()) {
        await stores.operationBlocks.put(anOperationBlock(collection, { packed: bytes[at] ?? new Uint8Array() }));
      }
      await run('update chunks set bytes = zeroblob(length(bytes))');
      const read = await stores.operationBlocks.changedSince(0, 'm1', 9);
      expect(read.map(({ packed }) => isSame(packed, new Uint8Array(large)))).toEqual([true, false]);
      expect(isSame(read[1]?.packed, bytes[1])).toBe(true);
    }));

  test('give others a turn after the last of them, however soon that is', () =>
    onSqlite(async ({ stores }) => {
      const collection = await added(stores, contentOf(large));
      await withSteppingClock(0, async () => {
        await deflatedOf(stores, collection);
        let turns = 0;
        void setImmediate().then(() => (turns += 1));
        await deflatedOf(stores, collection);
        expect(turns).toBe(1);
      });
    }));

  test('are not waited for beyond the deadline of their request, and nothing is added then', () =>
    onSqlite(async ({ stores: { collections } }, run) => {
      const collection = aCollection();
      const deadline = deadlineByHand();
      const adding = collections.add(collection, contentOf(20 * chunkLength), { ...noEffects, deadline });
      deadline.expire();
      await expect(adding).rejects.toMatchObject({ code: 'timed_out' });
      expect(await collections.find(collection.id)).toBeNull();
      expect(await chunksIn(run)).toBeLessThan(2);
    }));
});
