import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Collection, CollectionId, PackedText } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aCollection, aDocumentContent, aPackedDocument, nextId, noEffects } from './records.ts';
import type { Stores } from './stores.ts';

/** The part of the contract of `CollectionStore` that is about documents that are not stored as they were sent. */
export const originalDocumentContract = {
  'the text that a document was converted from is returned exactly as it was stored, with its digest': async (
    stores,
  ) => {
    const text = aPackedDocument(`{"swagger":"2.0","x":"${'größer '.repeat(1_000)}"}`);
    const { id } = await addConverted(stores, text);
    await assertOriginal(stores, id, text);
    const { deflated } = (await stores.collections.findOriginal(id))?.packed ?? text;
    deflated.fill(7);
    await assertOriginal(stores, id, text);
  },

  'an update without a document keeps the text that it was converted from': async (stores) => {
    const { id } = await addConverted(stores, aPackedDocument());
    await stores.collections.update(id, (current) => ({ collection: { ...current, name: 'Renamed' }, ...noEffects }));
    await assertOriginal(stores, id, aPackedDocument());
    deepStrictEqual((await stores.collections.find(id))?.original, convertedFrom);
  },

  'a document that was not converted has no other text, also after one that was': async (stores) => {
    strictEqual(await stores.collections.findOriginal(nextId()), null);
    strictEqual(await stores.collections.findOriginal((await addPlain(stores)).id), null);
    const readAsOther = { version: '3.2.0', digest: aCollection().documentDigest };
    const collectionOf32 = aCollection({ original: readAsOther });
    await stores.collections.add(
      collectionOf32,
      { ...aDocumentContent(), original: { ...readAsOther, packed: null } },
      noEffects,
    );
    strictEqual(await stores.collections.findOriginal(collectionOf32.id), null);
    deepStrictEqual(await stores.collections.find(collectionOf32.id), collectionOf32);
    const { id } = await addConverted(stores, aPackedDocument());
    await stores.collections.update(id, (current) => ({
      collection: { ...current, documentDigest: 'ef'.repeat(32), original: null },
      document: aDocumentContent(),
      ...noEffects,
    }));
    strictEqual(await stores.collections.findOriginal(id), null);
    strictEqual((await stores.collections.find(id))?.original, null);
  },
} satisfies Contract<Stores>;

const addPlain = async ({ collections }: Stores): Promise<Collection> => {
  const collection = aCollection();
  await collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

const convertedFrom = { version: '2.0', digest: 'ab'.repeat(32) };

const addConverted = async ({ collections }: Stores, text: PackedText): Promise<Collection> => {
  const collection = aCollection({ original: convertedFrom });
  const document = { ...aDocumentContent(), original: { ...convertedFrom, packed: text } };
  await collections.add(collection, document, noEffects);
  return collection;
};

const assertOriginal = async ({ collections }: Stores, id: CollectionId, expected: PackedText): Promise<void> => {
  const original = await collections.findOriginal(id);
  deepStrictEqual(
    original && { ...original, packed: { ...original.packed, deflated: [...original.packed.deflated] } },
    { digest: convertedFrom.digest, packed: { ...expected, deflated: [...expected.deflated] } },
  );
};
