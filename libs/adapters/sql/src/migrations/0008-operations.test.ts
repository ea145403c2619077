import { aCollection, aContent, anOperation, noEffects } from '@portico/contracts';
import { expect, test } from 'vitest';
import { describeDialects } from '../../test/dialects.ts';

const undone = [
  "delete from schema_migrations where name = '0008-operations'",
  'drop table operation_blocks',
  'drop table operations',
  'alter table collections drop column operations_digest',
  'alter table epochs drop column operations',
];

describeDialects(({ withPlace }) => {
  test('the operations of collections from before are missing until they are read', () =>
    withPlace(async (open, run) => {
      const collection = aCollection();
      const content = aContent(undefined, [anOperation()]);
      const before = await open();
      await before.stores.collections.add(collection, content, noEffects);
      await before.close();
      for (const statement of undone) await run(statement);
      const { stores, close } = await open();
      const { id, documentDigest } = collection;
      expect(await stores.operations.digest(id)).toBeNull();
      expect(await stores.operationBlocks.outdated('any')).toEqual([id]);
      expect(await stores.operations.replace(id, documentDigest, content.operations)).toBe(true);
      const listed = await stores.operations.list(id, { tag: null, containing: null }, null);
      expect(listed.map(({ key }) => key)).toEqual(content.operations.map(({ key }) => key));
      await close();
    }));
});
