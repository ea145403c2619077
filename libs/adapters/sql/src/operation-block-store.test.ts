import { aCollection, aDocumentContent, anOperationBlock, noEffects, type Stores } from '@portico/contracts';
import type { Collection } from '@portico/domain';
import { expect, test } from 'vitest';
import { describeDialects } from '../test/dialects.ts';

/** The size, in bytes, at which blocks start to be read one by one. */
const largeBytes = 2 ** 18 + 1;

type Subject = Pick<Stores, 'collections' | 'operationBlocks'>;

const addCollection = async ({ collections }: Subject): Promise<Collection> => {
  const collection = aCollection();
  await collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

/** Stores a block; each byte of the block is its version. */
const put = ({ operationBlocks }: Subject, collection: Collection, bytes: number, version: number) =>
  operationBlocks.put(
    anOperationBlock(collection, { packed: new Uint8Array(bytes).fill(version), operations: version }),
  );

describeDialects(({ withDatabase }) => {
  test('blocks of any size are read completely and in order, even if another process stored them', () =>
    withDatabase(async (open) => {
      const [writer, reader] = [await open(), await open()];
      const sizes = [1, largeBytes - 1, largeBytes, 5_000_000, 2];
      for (const [index, size] of sizes.entries())
        await put(writer.stores, await addCollection(writer.stores), size, index + 1);
      for (const { stores } of [writer, reader]) {
        const changes = await stores.operationBlocks.listChangedSince(0, 'm1', 9);
        expect(changes.map(({ packed }) => packed.length)).toEqual(sizes);
        expect(changes.map(({ packed }) => [packed[0], packed.at(-1)])).toEqual(
          sizes.map((_, index) => [index + 1, index + 1]),
        );
      }
      for (const { close } of [reader, writer]) await close();
    }));

  test('every existing block is read in a single version, even if it is replaced or removed during the read', () =>
    withDatabase(async (open) => {
      const { stores, close } = await open();
      const [firstCollection, secondCollection, thirdCollection] = [
        await addCollection(stores),
        await addCollection(stores),
        await addCollection(stores),
      ];
      for (const collection of [firstCollection, secondCollection, thirdCollection])
        await put(stores, collection, largeBytes, 1);
      for (let version = 2; version < 30; version += 1) {
        const [changes] = await Promise.all([
          stores.operationBlocks.listChangedSince(0, 'm1', 9),
          put(stores, version % 2 ? secondCollection : thirdCollection, largeBytes, version),
        ]);
        expect(changes).toHaveLength(3);
        expect(changes.map(({ packed, operations }) => packed[0] === operations)).toEqual([true, true, true]);
      }
      const [changes] = await Promise.all([
        stores.operationBlocks.listChangedSince(0, 'm1', 9),
        stores.collections.remove(firstCollection.id, () => noEffects),
      ]);
      expect([2, 3]).toContain(changes.length);
      await close();
    }));
});
