import { aCollection, aContent, anOperation, noEffects } from '@portico/contracts';
import { expect, test } from 'vitest';
import { describeDialects } from '../test/dialects.ts';

const all = { tag: null, containing: null };

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
});
