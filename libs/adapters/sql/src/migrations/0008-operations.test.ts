import { aCollection, aContent, anOperation, noEffects } from '@portico/contracts';
import { type Collection, type OperationBlock, type OperationKey } from '@portico/domain';
import { expect, test } from 'vitest';
import { describeDialects, type RunSql } from '../../test/dialects.ts';
import type { SqlStores } from '../index.ts';

/** The tables as the version before left them. */
const undone = [
  "delete from schema_migrations where name = '0008-operations'",
  'drop table operations',
  'drop table operation_blocks',
  'alter table collections drop column operations_digest',
  'alter table epochs drop column operations',
];

/** What the version before runs: it may run beside this one while an installation is updated. */
const before = {
  columns:
    'id, name, name_key, description, created_by, created_at, updated_at, revision, content_revision, ' +
    'description_derived, base_url, derived_type, derived_name, derived_in, stored_type, stored_name, stored_in, ' +
    'stored_sealed_value, document_digest, import_key',
  change: 'update collections set document_digest = ?, revision = ? where id = ?',
  remove: 'delete from collections where id = ?',
  epoch: 'update epochs set catalog = catalog + 1 where id = 1',
};

const otherDigest = 'ab'.repeat(32);
const everything = { tag: null, containing: null };

const previousVersion = (run: RunSql) => ({
  /** Adds a collection like this one. */
  async add({ id }: Collection, like: Collection): Promise<void> {
    const others = before.columns.replace('id, ', '').replace(', import_key', '');
    await run(`insert into collections (id, ${others}) select ?, ${others} from collections where id = ?`, [
      id,
      like.id,
    ]);
    await run(before.epoch, []);
  },
  changeDocument: ({ id, revision }: Collection) => run(before.change, [otherDigest, revision + 1, id]),
  remove: ({ id }: Collection) => run(before.remove, [id]),
});

const aBlock = ({ id, documentDigest, contentRevision }: Collection): OperationBlock => ({
  collectionId: id,
  modelId: 'm1',
  documentDigest,
  contentRevision,
  operations: 1,
  packed: Uint8Array.of(1),
});

const added = async ({ stores }: SqlStores): Promise<Collection> => {
  const collection = aCollection();
  await stores.collections.add(collection, aContent('{}', [anOperation()]), noEffects);
  return collection;
};

const stateOf = async ({ stores: { operations, operationBlocks } }: SqlStores, { id }: Collection) => ({
  listed: (await operations.list(id, everything, null)).length,
  digest: await operations.digest(id),
  isOutdated: (await operationBlocks.outdated('m1')).includes(id),
});

describeDialects(({ withPlace }) => {
  test('collections of before have no operations, are outdated, and get theirs from their document', () =>
    withPlace(async (open, run) => {
      const first = await open();
      const collection = await added(first);
      await first.close();
      for (const statement of undone) await run(statement);
      const opened = await open();
      expect(await stateOf(opened, collection)).toEqual({ listed: 0, digest: null, isOutdated: true });
      expect(await opened.stores.collections.find(collection.id)).toEqual(collection);
      const { operations, operationBlocks } = opened.stores;
      expect(await operationBlocks.put(aBlock(collection))).toBe(false);
      expect(await operations.replace(collection.id, collection.documentDigest, [anOperation()])).toBe(true);
      expect(await operationBlocks.put(aBlock(collection))).toBe(true);
      const { documentDigest: digest } = collection;
      expect(await stateOf(opened, collection)).toEqual({ listed: 1, digest, isOutdated: false });
      await opened.close();
    }));

  test('a collection that the version before adds is outdated, and its operations can be read', () =>
    withPlace(async (open, run) => {
      const opened = await open();
      const like = await added(opened);
      const collection = { ...like, id: aCollection().id };
      await previousVersion(run).add(collection, like);
      expect(await opened.stores.collections.find(collection.id)).toEqual(collection);
      expect(await stateOf(opened, collection)).toEqual({ listed: 0, digest: null, isOutdated: true });
      const { operations } = opened.stores;
      expect(await operations.replace(collection.id, collection.documentDigest, [anOperation()])).toBe(true);
      expect(await operations.find(collection.id, anOperation().key)).toEqual(anOperation());
      await opened.close();
    }));

  test('a document that the version before changes makes its operations and their block outdated', () =>
    withPlace(async (open, run) => {
      const opened = await open();
      const collection = await added(opened);
      const { operations, operationBlocks } = opened.stores;
      await operationBlocks.put(aBlock(collection));
      await previousVersion(run).changeDocument(collection);
      expect(await stateOf(opened, collection)).toEqual({ listed: 0, digest: null, isOutdated: true });
      const changed = { ...collection, documentDigest: otherDigest };
      expect(await operationBlocks.put(aBlock(collection))).toBe(false);
      expect(await operationBlocks.put(aBlock(changed))).toBe(false);
      const other = anOperation({ key: 'b'.repeat(16) as OperationKey });
      expect(await operations.replace(collection.id, otherDigest, [other])).toBe(true);
      expect(await operationBlocks.put(aBlock(changed))).toBe(true);
      expect(await stateOf(opened, changed)).toEqual({ listed: 1, digest: otherDigest, isOutdated: false });
      await opened.close();
    }));

  test('a collection that the version before removes takes its operations and its blocks with it', () =>
    withPlace(async (open, run) => {
      const opened = await open();
      const collection = await added(opened);
      await opened.stores.operationBlocks.put(aBlock(collection));
      await previousVersion(run).remove(collection);
      expect(await run('select collection_id from operations', [])).toEqual([]);
      expect(await run('select collection_id from operation_blocks', [])).toEqual([]);
      await opened.close();
    }));
});
