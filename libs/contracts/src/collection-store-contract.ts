import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { toNameKey } from '@portico/domain';
import type { Collection, CollectionId, Effects, ListedCollection, PackedText, Visibility } from '@portico/domain';
import { assertFails, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient } from './granting.ts';
import {
  aCollection,
  aDocumentContent,
  aPackedDocument,
  anAdmin,
  anEmbedding,
  aProfile,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `CollectionStore`. */
export const collectionStoreContract = {
  'a collection is returned exactly as it was added': async (stores) => {
    const minimalCollection = aCollection({
      description: '',
      derivedAuthentication: { type: 'none', name: null, in: null },
    });
    const fullCollection = aCollection({
      derivedAuthentication: { type: 'apiKey', name: 'sid', in: 'cookie' },
      storedAuthentication: { type: 'apiKey', name: 'X-Key', in: 'header', sealedValue: 'c2VhbGVk', origins: [] },
      importKey: 'roads/1.json',
    });
    const collectionWithoutCredential = aCollection({
      storedAuthentication: { type: 'none', name: null, in: null, sealedValue: null, origins: null },
    });
    for (const collection of [minimalCollection, fullCollection, collectionWithoutCredential]) {
      await addCollection(stores, collection);
      deepStrictEqual(await stores.collections.find(collection.id), collection);
    }
  },

  'adding and updating a collection store whether its description is derived': async (stores) => {
    for (const descriptionDerived of [true, false]) {
      const { id } = await addCollection(stores, aCollection({ descriptionDerived }));
      strictEqual((await stores.collections.find(id))?.descriptionDerived, descriptionDerived);
      await stores.collections.update(id, createChangeDecision({ descriptionDerived: !descriptionDerived }));
      strictEqual((await stores.collections.find(id))?.descriptionDerived, !descriptionDerived);
    }
  },

  'adding a collection writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.collections.add(aCollection(), aDocumentContent(), effects);
    await assertWritten(stores, effects);
  },

  'names do not have to be unique': async (stores) => {
    await addCollection(stores, aCollection({ name: 'Roads' }));
    await addCollection(stores, aCollection({ name: 'Roads' }));
    strictEqual((await stores.collections.list(allCollections, null)).length, 2);
  },

  'looking up an unknown id returns no collection': async (stores) => {
    await addCollection(stores);
    strictEqual(await stores.collections.find(nextId()), null);
  },

  'a collection is found by its import key': async (stores) => {
    await addCollection(stores, aCollection({ importKey: 'roads/2.json' }));
    const collection = await addCollection(stores, aCollection({ importKey: 'roads/1.json' }));
    deepStrictEqual(await stores.collections.findByImportKey('roads/1.json'), collection);
  },

  'looking up an unknown import key returns nothing': async (stores) => {
    await addCollection(stores, aCollection({ importKey: 'roads/1.json' }));
    await addCollection(stores);
    strictEqual(await stores.collections.findByImportKey('roads/2.json'), null);
  },

  'two collections cannot share an import key, and a rejected change writes nothing': async (stores) => {
    const first = await addCollection(stores, aCollection({ importKey: 'roads/1.json' }));
    const otherCollection = await addCollection(stores, aCollection({ importKey: 'roads/2.json' }));
    const { importKey } = first;
    await assertFails(stores.collections.add(aCollection({ importKey }), aDocumentContent(), someEffects()));
    const decide = createChangeDecision({ importKey }, someEffects());
    await assertFails(stores.collections.update(otherCollection.id, decide));
    strictEqual((await stores.collections.list(allCollections, null)).length, 2);
    deepStrictEqual(await stores.collections.find(otherCollection.id), otherCollection);
    await assertWritten(stores);
  },

  'an update bases its decision on the current collection, stores the change and returns it': async (stores) => {
    const before = await addCollection(stores);
    const after = { ...aCollection({ importKey: 'roads/1.json', revision: 2, baseUrlSetting: null }), id: before.id };
    let capturedCollection: Collection | null = null;
    const result = await stores.collections.update(before.id, (current) => {
      capturedCollection = current;
      return { collection: after, ...noEffects };
    });
    deepStrictEqual([capturedCollection, result], [before, after]);
    deepStrictEqual(await stores.collections.find(before.id), after);
  },

  'an update writes its effects': async (stores) => {
    const { id } = await addCollection(stores);
    const effects = someEffects();
    await stores.collections.update(id, createChangeDecision({ name: 'New' }, effects));
    await assertWritten(stores, effects);
  },

  'an update without a document keeps the stored document': async (stores) => {
    const { id } = await addCollection(stores, aCollection(), aPackedDocument('{"old":1}'));
    await stores.collections.update(id, createChangeDecision({ name: 'New' }));
    await assertDocument(stores, id, aPackedDocument('{"old":1}'));
  },

  'an update with a document replaces the stored document and its digest': async (stores) => {
    const { id } = await addCollection(stores, aCollection(), aPackedDocument('{"old":1}'));
    const documentDigest = 'ab'.repeat(32);
    await stores.collections.update(id, (current) => ({
      collection: { ...current, documentDigest },
      document: aDocumentContent('{"new":"größer"}'),
      ...noEffects,
    }));
    await assertDocument(stores, id, aPackedDocument('{"new":"größer"}'), documentDigest);
  },

  'an update whose decision returns null writes nothing and returns the current collection': async (stores) => {
    const collection = await addCollection(stores);
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    const { epochs } = await rowOf(stores, profile);
    deepStrictEqual(await stores.collections.update(collection.id, () => null), collection);
    deepStrictEqual(await stores.collections.find(collection.id), collection);
    deepStrictEqual((await rowOf(stores, profile)).epochs, epochs);
  },

  'an update rethrows an error from the decision and changes nothing': async (stores) => {
    const collection = await addCollection(stores);
    await assertRejects(stores.collections.update(collection.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.collections.find(collection.id), collection);
    await assertWritten(stores);
  },

  'updating a missing collection throws before the decision is called': async (stores) => {
    await addCollection(stores);
    await assertRejects(stores.collections.update(nextId(), failDecision), 'collection_not_found');
  },

  'concurrent updates of the same collection each see the previous update': async (stores) => {
    const { id } = await addCollection(stores);
    const increment = (current: Collection) => createChangeDecision({ revision: current.revision + 1 })(current);
    await Promise.all(Array.from({ length: 20 }, () => stores.collections.update(id, increment)));
    strictEqual((await stores.collections.find(id))?.revision, 21);
  },

  'no read returns a removed collection': async (stores) => {
    const removedCollection = await addCollection(stores, aCollection({ importKey: 'roads/1.json' }));
    const remainingCollection = await addCollection(stores);
    await stores.collections.remove(removedCollection.id, () => noEffects);
    strictEqual(await stores.collections.find(removedCollection.id), null);
    strictEqual(await stores.collections.findByImportKey('roads/1.json'), null);
    deepStrictEqual(await idsOf(stores, allCollections), [remainingCollection.id]);
    deepStrictEqual(await stores.collections.listVisibleIds(allCollections), [remainingCollection.id]);
    deepStrictEqual(await stores.collections.findNames([removedCollection.id]), new Map());
  },

  'removing a collection removes its document': async (stores) => {
    const removedCollection = await addCollection(stores);
    const remainingCollection = await addCollection(stores);
    await stores.collections.remove(removedCollection.id, () => noEffects);
    strictEqual(await stores.collections.findDocument(removedCollection.id), null);
    await assertDocument(stores, remainingCollection.id, aPackedDocument());
  },

  'removing a collection removes its embeddings for every model': async (stores) => {
    const [removedCollection, remainingCollection] = [await addCollection(stores), await addCollection(stores)];
    const models = ['m1', 'm2'];
    for (const collection of [removedCollection, remainingCollection])
      for (const modelId of models) await stores.embeddings.put(anEmbedding(collection, { modelId }));
    await stores.collections.remove(removedCollection.id, () => noEffects);
    for (const modelId of models) {
      const changes = await stores.embeddings.listChangedSince(0, modelId, 9);
      deepStrictEqual(
        changes.map(({ collectionId }) => collectionId),
        [remainingCollection.id],
      );
      strictEqual(await stores.embeddings.countEmbedded(modelId), 1);
    }
  },

  'removing a collection removes only the grants for that collection': async (stores) => {
    const [removedCollection, remainingCollection] = [await addCollection(stores), await addCollection(stores)];
    const clients = [aProfile(), aProfile()];
    for (const client of clients) {
      await stores.profiles.add(client, noEffects);
      for (const { id } of [removedCollection, remainingCollection]) {
        await grantToClient(stores.grants, client.id, id, () => ({ grantedAt: start, ...noEffects }));
      }
    }
    await stores.collections.remove(removedCollection.id, () => noEffects);
    await addCollection(stores, removedCollection);
    deepStrictEqual(await stores.grants.listClients(removedCollection.id, start), []);
    for (const { id } of clients)
      deepStrictEqual(await idsOf(stores, { scope: 'granted', profileId: id, now: start }), [remainingCollection.id]);
  },

  'a removal bases its decision on the current collection and writes its effects': async (stores) => {
    const collection = await addCollection(stores);
    const effects = someEffects();
    let capturedCollection: Collection | null = null;
    await stores.collections.remove(collection.id, (current) => {
      capturedCollection = current;
      return effects;
    });
    deepStrictEqual(capturedCollection, collection);
    await assertWritten(stores, effects);
  },

  'a removal rethrows an error from the decision and changes nothing': async (stores) => {
    const collection = await addCollection(stores);
    await assertRejects(stores.collections.remove(collection.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.collections.find(collection.id), collection);
    await assertDocument(stores, collection.id, aPackedDocument());
  },

  'removing a missing collection throws before the decision is called': async (stores) => {
    await addCollection(stores);
    await assertRejects(stores.collections.remove(nextId(), failDecision), 'collection_not_found');
  },

  'a document is returned exactly as it was stored, with its digest': async (stores) => {
    const document = aPackedDocument(`{"text":"${'größer '.repeat(1_000)}"}`);
    const { id } = await addCollection(stores, aCollection({ documentDigest: 'cd'.repeat(32) }), document);
    await assertDocument(stores, id, document, 'cd'.repeat(32));
  },

  'a missing collection has no document': async (stores) => {
    await addCollection(stores);
    strictEqual(await stores.collections.findDocument(nextId()), null);
  },

  'changing the bytes that were passed or returned does not change the stored document': async (stores) => {
    const document = aPackedDocument();
    const { id } = await addCollection(stores, aCollection(), document);
    document.deflated.fill(7);
    (await stores.collections.findDocument(id))?.packed.deflated.fill(8);
    await assertDocument(stores, id, aPackedDocument());
  },

  'a list is ordered by name, ignoring case': async (stores) => {
    await addCollectionsByName(stores, ['b', 'A', 'C', 'a1', 'B2']);
    deepStrictEqual(await namesOf(stores), ['A', 'a1', 'b', 'B2', 'C']);
  },

  'lists are ordered by code point': async (stores) => {
    const names = ['Z', 'Äpfel', 'äpfel 2', 'Œuvre', '愛', '\ufb01n', '😀', ' '];
    await addCollectionsByName(stores, names);
    deepStrictEqual(await namesOf(stores), [' ', 'Z', 'Äpfel', 'äpfel 2', 'Œuvre', '愛', '\ufb01n', '😀']);
  },

  'composed and decomposed letters are sorted alike, and names are returned unchanged': async (stores) => {
    await addCollectionsByName(stores, ['u\u0308c', '\u00fcb', 'U\u0308a']);
    deepStrictEqual(await namesOf(stores), ['U\u0308a', '\u00fcb', 'u\u0308c']);
  },

  'names that differ only in case are ordered by id': async (stores) => {
    const [first, second, third] = [aCollection({ name: 'x' }), aCollection({ name: 'X' }), aCollection({ name: 'x' })];
    for (const collection of [third, first, second]) await addCollection(stores, collection);
    deepStrictEqual(await idsOf(stores, allCollections), [first.id, second.id, third.id]);
  },

  'lists are ordered by the current names': async (stores) => {
    const [first] = await addCollectionsByName(stores, ['a', 'b']);
    await stores.collections.update(first, createChangeDecision({ name: 'C' }));
    deepStrictEqual(await namesOf(stores), ['b', 'C']);
  },

  'the pages contain each collection of the list exactly once': async (stores) => {
    await addCollectionsByName(stores, ['b', 'B', 'a', 'Ä', 'ä', 'c', '😀', '\ufb01', 'B', 'b']);
    const fullList = await stores.collections.list(allCollections, null);
    for (const limit of [1, 3, 10, 11]) deepStrictEqual(await pagesOf(stores, allCollections, limit), fullList);
  },

  'a page does not exceed its limit, and is empty after the last collection': async (stores) => {
    await addCollectionsByName(stores, ['a', 'b', 'c']);
    const page = await stores.collections.list(allCollections, { limit: 2, after: null });
    deepStrictEqual(
      page.map(({ name }) => name),
      ['a', 'b'],
    );
    const fullList = await stores.collections.list(allCollections, null);
    deepStrictEqual(await stores.collections.list(allCollections, { limit: 2, after: cursorOf(fullList.at(-1)) }), []);
  },

  'a page starts after its cursor even if the collection at the cursor was removed': async (stores) => {
    const [, middleId] = await addCollectionsByName(stores, ['a', 'b', 'c']);
    await stores.collections.remove(middleId, () => noEffects);
    const page = await stores.collections.list(allCollections, { limit: 9, after: { nameKey: 'b', id: middleId } });
    deepStrictEqual(
      page.map(({ name }) => name),
      ['c'],
    );
  },

  'a list with a search text contains the names that contain the text, ignoring case in every script': async (
    stores,
  ) => {
    await addCollectionsByName(stores, ['Äpfel 100%', 'a_pfel', 'Birnen', 'mehr \u00c4PFEL', 'U\u0308ber']);
    const findNamesContaining = async (text: string) =>
      (await stores.collections.list(allCollections, null, text)).map(({ name }) => name);
    deepStrictEqual(await findNamesContaining('äPF'), ['mehr \u00c4PFEL', 'Äpfel 100%']);
    deepStrictEqual(await findNamesContaining('\u00dcBER'), ['U\u0308ber']);
    deepStrictEqual(
      [
        await findNamesContaining('0%'),
        await findNamesContaining('_'),
        await findNamesContaining('p%l'),
        await findNamesContaining('!'),
      ],
      [['Äpfel 100%'], ['a_pfel'], [], []],
    );
    deepStrictEqual(
      await pagesOf(stores, allCollections, 1, 'PFEL'),
      await stores.collections.list(allCollections, null, 'pfel'),
    );
  },

  'the count equals the length of the list, with any visibility and search text': async (stores) => {
    const client = aProfile();
    await stores.profiles.add(client, noEffects);
    const [a, , c] = await addCollectionsByName(stores, ['Aa', 'ab', 'b']);
    for (const id of [a, c])
      await grantToClient(stores.grants, client.id, id, () => ({ grantedAt: start, ...noEffects }));
    const grantedVisibility: Visibility = { scope: 'granted', profileId: client.id, now: start };
    const count = (visibility: Visibility, text: string | null) => stores.collections.count(visibility, text);
    deepStrictEqual([await count(allCollections, null), await count(allCollections, 'A')], [3, 2]);
    deepStrictEqual([await count(grantedVisibility, null), await count(grantedVisibility, 'A')], [2, 1]);
    strictEqual(await count({ scope: 'none' }, null), 0);
    deepStrictEqual(
      (await stores.collections.list(grantedVisibility, { limit: 9, after: null }, 'A')).map(({ id }) => id),
      [a],
    );
  },

  'with the visibility "granted", lists, pages and ids contain only collections granted to the profile': async (
    stores,
  ) => {
    const [client, otherClient] = [aProfile(), aProfile()];
    const [a, b, c] = await addCollectionsByName(stores, ['a', 'b', 'c']);
    for (const profile of [client, otherClient]) await stores.profiles.add(profile, noEffects);
    for (const [clientId, id] of [
      [client.id, c],
      [client.id, a],
      [otherClient.id, b],
    ] as const) {
      await grantToClient(stores.grants, clientId, id, () => ({ grantedAt: start, ...noEffects }));
    }
    const grantedVisibility: Visibility = { scope: 'granted', profileId: client.id, now: start };
    deepStrictEqual(await idsOf(stores, grantedVisibility), [a, c]);
    deepStrictEqual(
      (await pagesOf(stores, grantedVisibility, 1)).map(({ id }) => id),
      [a, c],
    );
    deepStrictEqual([...(await stores.collections.listVisibleIds(grantedVisibility))].sort(), [a, c]);
  },

  'the visibility "granted" shows nothing to a profile without a grant': async (stores) => {
    await addCollection(stores);
    const client = aProfile();
    await stores.profiles.add(client, noEffects);
    const grantedVisibility: Visibility = { scope: 'granted', profileId: client.id, now: start };
    deepStrictEqual(await stores.collections.list(grantedVisibility, null), []);
    deepStrictEqual(await stores.collections.listVisibleIds(grantedVisibility), []);
  },

  'the visibility "all" shows every collection': async (stores) => {
    await stores.profiles.add(anAdmin(), noEffects);
    const ids = await addCollectionsByName(stores, ['a', 'b', 'c']);
    deepStrictEqual(await idsOf(stores, allCollections), ids);
    deepStrictEqual([...(await stores.collections.listVisibleIds(allCollections))].sort(), ids);
  },

  'the visibility "nothing" shows nothing': async (stores) => {
    await addCollection(stores);
    deepStrictEqual(await stores.collections.list({ scope: 'none' }, null), []);
    deepStrictEqual(await stores.collections.list({ scope: 'none' }, { limit: 9, after: null }), []);
    deepStrictEqual(await stores.collections.listVisibleIds({ scope: 'none' }), []);
  },

  'collections are found by their exact names, including duplicates, in list order': async (stores) => {
    const names = ['Caf\u00e9', 'b', 'Caf\u00e9', 'caf\u00e9', 'Cafe\u0301', 'c', 'Cafe'];
    const [first, b, second, lowerCaseId] = await addCollectionsByName(stores, names);
    const findIdsByNames = async (...names: string[]) =>
      (await stores.collections.findByNames(allCollections, names)).map(({ id }) => id);
    deepStrictEqual(await findIdsByNames('Caf\u00e9'), [first, second]);
    deepStrictEqual(await findIdsByNames('caf\u00e9', 'b', 'b'), [b, lowerCaseId!]);
    deepStrictEqual(await stores.collections.findByNames(allCollections, ['b']), [{ id: b, name: 'b' }]);
  },

  'looking up unknown names returns nothing': async (stores) => {
    await addCollectionsByName(stores, ['Roads', 'Rivers', 'Rails']);
    const unknownNames = ['', 'roads', 'Road', 'Roads ', '%', '_ails', 'Roads\0', 'Roads\ud800', `Roads'`, '"Roads"'];
    deepStrictEqual(await stores.collections.findByNames(allCollections, unknownNames), []);
    deepStrictEqual(await stores.collections.findByNames(allCollections, []), []);
    deepStrictEqual(
      (await stores.collections.findByNames(allCollections, [...unknownNames, 'Rails'])).map(({ name }) => name),
      ['Rails'],
    );
  },

  'many collections can be found by name in one call': async (stores) => {
    const names = Array.from({ length: 60 }, (_, index) => `Roads ${index}`);
    await addCollectionsByName(stores, [...names, 'Rivers']);
    const query = [...names, ...Array.from({ length: 2_000 }, (_, index) => `Rails ${index}`)];
    const matches = await stores.collections.findByNames(allCollections, query);
    deepStrictEqual(matches.map(({ name }) => name).sort(), names.toSorted());
  },

  'a client finds only granted collections by name, and none without a grant': async (stores) => {
    const [client, otherClient] = [aProfile(), aProfile()];
    const [roads, rivers] = await addCollectionsByName(stores, ['Roads', 'Rivers', 'Roads']);
    for (const profile of [client, otherClient]) await stores.profiles.add(profile, noEffects);
    await grantToClient(stores.grants, client.id, roads, () => ({ grantedAt: start, ...noEffects }));
    await grantToClient(stores.grants, otherClient.id, rivers, () => ({ grantedAt: start, ...noEffects }));
    const listIdsVisibleTo = async (visibility: Visibility) =>
      (await stores.collections.findByNames(visibility, ['Roads', 'Rivers'])).map(({ id }) => id);
    deepStrictEqual(await listIdsVisibleTo({ scope: 'granted', profileId: client.id, now: start }), [roads]);
    deepStrictEqual(await listIdsVisibleTo({ scope: 'granted', profileId: otherClient.id, now: start }), [rivers]);
    deepStrictEqual(await listIdsVisibleTo({ scope: 'none' }), []);
  },

  'looking up names omits collections that do not exist': async (stores) => {
    const [a, b] = await addCollectionsByName(stores, ['Ä', 'b', 'c']);
    deepStrictEqual(
      await stores.collections.findNames([b, nextId(), a, b]),
      new Map([
        [b, 'b'],
        [a, 'Ä'],
      ]),
    );
    deepStrictEqual(await stores.collections.findNames([]), new Map());
  },
} satisfies Contract<Stores>;

const allCollections: Visibility = { scope: 'all' };

const addCollection = async ({ collections }: Stores, collection = aCollection(), document = aPackedDocument()) => {
  await collections.add(collection, { ...aDocumentContent(), packed: document }, noEffects);
  return collection;
};

/** Adds collections with these names, in this order. Returns their ids as a tuple of at least three. */
const addCollectionsByName = async (stores: Stores, names: readonly string[]) => {
  const collections = names.map((name) => aCollection({ name }));
  for (const collection of collections) await addCollection(stores, collection);
  return collections.map(({ id }) => id) as [CollectionId, CollectionId, CollectionId, ...CollectionId[]];
};

const createChangeDecision =
  (change: Partial<Collection>, effects: Effects = noEffects) =>
  (current: Collection) => ({ collection: { ...current, ...change }, ...effects });

const namesOf = async ({ collections }: Stores) =>
  (await collections.list(allCollections, null)).map(({ name }) => name);

const idsOf = async ({ collections }: Stores, visibility: Visibility) =>
  (await collections.list(visibility, null)).map(({ id }) => id);

const cursorOf = (item: ListedCollection | undefined) => (item ? { nameKey: toNameKey(item.name), id: item.id } : null);

const pagesOf = async ({ collections }: Stores, visibility: Visibility, limit: number, text: string | null = null) => {
  const items: ListedCollection[] = [];
  for (let pages = 0; pages < 20; pages += 1) {
    const page = await collections.list(visibility, { limit, after: cursorOf(items.at(-1)) }, text);
    if (page.length === 0) break;
    items.push(...page);
  }
  return items;
};

const assertDocument = async (
  { collections }: Stores,
  id: CollectionId,
  { deflated, ...expectedFields }: PackedText,
  digest = aCollection().documentDigest,
): Promise<void> => {
  const storedDocument = await collections.findDocument(id);
  const { deflated: octets, ...storedFields } = storedDocument?.packed ?? { deflated: [] };
  deepStrictEqual(
    { digest: storedDocument?.digest, octets: [...octets], ...storedFields },
    { digest, octets: [...deflated], ...expectedFields },
  );
};
