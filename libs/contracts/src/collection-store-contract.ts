import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { nameKey } from '@portico/domain';
import type { Collection, CollectionId, Effects, ListedCollection, PackedText, Visibility } from '@portico/domain';
import { assertFails, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient } from './granting.ts';
import {
  aCollection,
  aContent,
  aDocument,
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
  'an added collection is returned unchanged': async (stores) => {
    const bare = aCollection({ description: '', derivedAuthentication: { type: 'none', name: null, in: null } });
    const full = aCollection({
      derivedAuthentication: { type: 'apiKey', name: 'sid', in: 'cookie' },
      storedAuthentication: { type: 'apiKey', name: 'X-Key', in: 'header', sealedValue: 'c2VhbGVk' },
      importKey: 'roads/1.json',
    });
    const without = aCollection({
      storedAuthentication: { type: 'none', name: null, in: null, sealedValue: null },
    });
    for (const collection of [bare, full, without]) {
      await addCollection(stores, collection);
      deepStrictEqual(await stores.collections.find(collection.id), collection);
    }
  },

  'an addition and an update store whether a description is derived': async (stores) => {
    for (const descriptionDerived of [true, false]) {
      const { id } = await addCollection(stores, aCollection({ descriptionDerived }));
      strictEqual((await stores.collections.find(id))?.descriptionDerived, descriptionDerived);
      await stores.collections.update(id, changing({ descriptionDerived: !descriptionDerived }));
      strictEqual((await stores.collections.find(id))?.descriptionDerived, !descriptionDerived);
    }
  },

  'an addition writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.collections.add(aCollection(), aContent(), effects);
    await assertWritten(stores, effects);
  },

  'names need not be unique': async (stores) => {
    await addCollection(stores, aCollection({ name: 'Roads' }));
    await addCollection(stores, aCollection({ name: 'Roads' }));
    strictEqual((await stores.collections.list(all, null)).length, 2);
  },

  'an unknown id finds no collection': async (stores) => {
    await addCollection(stores);
    strictEqual(await stores.collections.find(nextId()), null);
  },

  'a collection is found by its import key': async (stores) => {
    await addCollection(stores, aCollection({ importKey: 'roads/2.json' }));
    const collection = await addCollection(stores, aCollection({ importKey: 'roads/1.json' }));
    deepStrictEqual(await stores.collections.findByImportKey('roads/1.json'), collection);
  },

  'an unknown import key finds nothing': async (stores) => {
    await addCollection(stores, aCollection({ importKey: 'roads/1.json' }));
    await addCollection(stores);
    strictEqual(await stores.collections.findByImportKey('roads/2.json'), null);
  },

  'two collections cannot share an import key, and a rejected change writes nothing': async (stores) => {
    const first = await addCollection(stores, aCollection({ importKey: 'roads/1.json' }));
    const other = await addCollection(stores, aCollection({ importKey: 'roads/2.json' }));
    const { importKey } = first;
    await assertFails(stores.collections.add(aCollection({ importKey }), aContent(), someEffects()));
    await assertFails(stores.collections.update(other.id, changing({ importKey }, someEffects())));
    strictEqual((await stores.collections.list(all, null)).length, 2);
    deepStrictEqual(await stores.collections.find(other.id), other);
    await assertWritten(stores);
  },

  'an update decides on the current collection, stores the change and returns it': async (stores) => {
    const before = await addCollection(stores);
    const after: Collection = { ...aCollection({ importKey: 'roads/1.json', revision: 2 }), id: before.id };
    let seen: Collection | null = null;
    const result = await stores.collections.update(before.id, (current) => {
      seen = current;
      return { collection: after, ...noEffects };
    });
    deepStrictEqual([seen, result], [before, after]);
    deepStrictEqual(await stores.collections.find(before.id), after);
  },

  'an update writes its effects': async (stores) => {
    const { id } = await addCollection(stores);
    const effects = someEffects();
    await stores.collections.update(id, changing({ name: 'New' }, effects));
    await assertWritten(stores, effects);
  },

  'an update without a document keeps the stored one': async (stores) => {
    const { id } = await addCollection(stores, aCollection(), aDocument('{"old":1}'));
    await stores.collections.update(id, changing({ name: 'New' }));
    await assertDocument(stores, id, aDocument('{"old":1}'));
  },

  'an update with a document replaces the stored one and its digest': async (stores) => {
    const { id } = await addCollection(stores, aCollection(), aDocument('{"old":1}'));
    const documentDigest = 'ab'.repeat(32);
    await stores.collections.update(id, (current) => ({
      collection: { ...current, documentDigest },
      document: aContent('{"new":"größer"}'),
      ...noEffects,
    }));
    await assertDocument(stores, id, aDocument('{"new":"größer"}'), documentDigest);
  },

  'an update whose decision is null writes nothing and returns the current collection': async (stores) => {
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

  'an update of a missing collection throws before the decision': async (stores) => {
    await addCollection(stores);
    await assertRejects(stores.collections.update(nextId(), failDecision), 'collection_not_found');
  },

  'concurrent updates of one collection each see the previous one': async (stores) => {
    const { id } = await addCollection(stores);
    const oneMore = (current: Collection) => changing({ revision: current.revision + 1 })(current);
    await Promise.all(Array.from({ length: 20 }, () => stores.collections.update(id, oneMore)));
    strictEqual((await stores.collections.find(id))?.revision, 21);
  },

  'no read finds a removed collection': async (stores) => {
    const removed = await addCollection(stores, aCollection({ importKey: 'roads/1.json' }));
    const remaining = await addCollection(stores);
    await stores.collections.remove(removed.id, () => noEffects);
    strictEqual(await stores.collections.find(removed.id), null);
    strictEqual(await stores.collections.findByImportKey('roads/1.json'), null);
    deepStrictEqual(await idsOf(stores, all), [remaining.id]);
    deepStrictEqual(await stores.collections.visibleIds(all), [remaining.id]);
    deepStrictEqual(await stores.collections.names([removed.id]), new Map());
  },

  'a removal removes the document': async (stores) => {
    const removed = await addCollection(stores);
    const remaining = await addCollection(stores);
    await stores.collections.remove(removed.id, () => noEffects);
    strictEqual(await stores.collections.document(removed.id), null);
    await assertDocument(stores, remaining.id, aDocument());
  },

  'a removal removes the embeddings of every model': async (stores) => {
    const [removed, remaining] = [await addCollection(stores), await addCollection(stores)];
    const models = ['m1', 'm2'];
    for (const collection of [removed, remaining])
      for (const modelId of models) await stores.embeddings.put(anEmbedding(collection, { modelId }));
    await stores.collections.remove(removed.id, () => noEffects);
    for (const modelId of models) {
      const changes = await stores.embeddings.changedSince(0, modelId, 9);
      deepStrictEqual(
        changes.map(({ collectionId }) => collectionId),
        [remaining.id],
      );
      strictEqual(await stores.embeddings.embedded(modelId), 1);
    }
  },

  'a removal removes all grants for the collection, and for no other': async (stores) => {
    const [removed, remaining] = [await addCollection(stores), await addCollection(stores)];
    const clients = [aProfile(), aProfile()];
    for (const client of clients) {
      await stores.profiles.add(client, noEffects);
      for (const { id } of [removed, remaining]) {
        await grantToClient(stores.grants, client.id, id, () => ({ grantedAt: start, ...noEffects }));
      }
    }
    await stores.collections.remove(removed.id, () => noEffects);
    await addCollection(stores, removed);
    deepStrictEqual(await stores.grants.clientsOf(removed.id, start), []);
    for (const { id } of clients)
      deepStrictEqual(await idsOf(stores, { of: 'granted', to: id, at: start }), [remaining.id]);
  },

  'a removal decides on the current collection and writes its effects': async (stores) => {
    const collection = await addCollection(stores);
    const effects = someEffects();
    let seen: Collection | null = null;
    await stores.collections.remove(collection.id, (current) => {
      seen = current;
      return effects;
    });
    deepStrictEqual(seen, collection);
    await assertWritten(stores, effects);
  },

  'a removal rethrows an error from the decision and changes nothing': async (stores) => {
    const collection = await addCollection(stores);
    await assertRejects(stores.collections.remove(collection.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.collections.find(collection.id), collection);
    await assertDocument(stores, collection.id, aDocument());
  },

  'a removal of a missing collection throws before the decision': async (stores) => {
    await addCollection(stores);
    await assertRejects(stores.collections.remove(nextId(), failDecision), 'collection_not_found');
  },

  'a document is returned as it was stored, with its digest': async (stores) => {
    const document = aDocument(`{"text":"${'größer '.repeat(1_000)}"}`);
    const { id } = await addCollection(stores, aCollection({ documentDigest: 'cd'.repeat(32) }), document);
    await assertDocument(stores, id, document, 'cd'.repeat(32));
  },

  'a missing collection has no document': async (stores) => {
    await addCollection(stores);
    strictEqual(await stores.collections.document(nextId()), null);
  },

  'changing the bytes passed or returned does not change a stored document': async (stores) => {
    const document = aDocument();
    const { id } = await addCollection(stores, aCollection(), document);
    document.deflated.fill(7);
    (await stores.collections.document(id))?.packed.deflated.fill(8);
    await assertDocument(stores, id, aDocument());
  },

  'a list item has the id, name, description and times': async (stores) => {
    const { id, name, description, createdAt } = await addCollection(stores, aCollection({ updatedAt: start + 5 }));
    const line: ListedCollection = { id, name, description, createdAt, updatedAt: start + 5 };
    deepStrictEqual(await stores.collections.list(all, null), [line]);
  },

  'a list is ordered by name, ignoring case': async (stores) => {
    await addNamed(stores, ['b', 'A', 'C', 'a1', 'B2']);
    deepStrictEqual(await namesOf(stores), ['A', 'a1', 'b', 'B2', 'C']);
  },

  'a list is ordered by code points': async (stores) => {
    const names = ['Z', 'Äpfel', 'äpfel 2', 'Œuvre', '愛', '\ufb01n', '😀', ' '];
    await addNamed(stores, names);
    deepStrictEqual(await namesOf(stores), [' ', 'Z', 'Äpfel', 'äpfel 2', 'Œuvre', '愛', '\ufb01n', '😀']);
  },

  'composed and decomposed letters sort alike, and names are returned unchanged': async (stores) => {
    await addNamed(stores, ['u\u0308c', '\u00fcb', 'U\u0308a']);
    deepStrictEqual(await namesOf(stores), ['U\u0308a', '\u00fcb', 'u\u0308c']);
  },

  'names that differ only in case are ordered by id': async (stores) => {
    const [first, second, third] = [aCollection({ name: 'x' }), aCollection({ name: 'X' }), aCollection({ name: 'x' })];
    for (const collection of [third, first, second]) await addCollection(stores, collection);
    deepStrictEqual(await idsOf(stores, all), [first.id, second.id, third.id]);
  },

  'a list is ordered by current names': async (stores) => {
    const [first] = await addNamed(stores, ['a', 'b']);
    await stores.collections.update(first, changing({ name: 'C' }));
    deepStrictEqual(await namesOf(stores), ['b', 'C']);
  },

  'pages cover the whole list, with no collection repeated or left out': async (stores) => {
    await addNamed(stores, ['b', 'B', 'a', 'Ä', 'ä', 'c', '😀', '\ufb01', 'B', 'b']);
    const whole = await stores.collections.list(all, null);
    for (const limit of [1, 3, 10, 11]) deepStrictEqual(await pagesOf(stores, all, limit), whole);
  },

  'a page does not exceed its limit, and is empty after the last collection': async (stores) => {
    await addNamed(stores, ['a', 'b', 'c']);
    const page = await stores.collections.list(all, { limit: 2, after: null });
    deepStrictEqual(
      page.map(({ name }) => name),
      ['a', 'b'],
    );
    const whole = await stores.collections.list(all, null);
    deepStrictEqual(await stores.collections.list(all, { limit: 2, after: cursorOf(whole.at(-1)) }), []);
  },

  'a page starts after its cursor even if that collection was removed': async (stores) => {
    const [, middle] = await addNamed(stores, ['a', 'b', 'c']);
    await stores.collections.remove(middle, () => noEffects);
    const page = await stores.collections.list(all, { limit: 9, after: { nameKey: 'b', id: middle } });
    deepStrictEqual(
      page.map(({ name }) => name),
      ['c'],
    );
  },

  'with a search text, a list has the names that contain it, ignoring case in every script': async (stores) => {
    await addNamed(stores, ['Äpfel 100%', 'a_pfel', 'Birnen', 'mehr \u00c4PFEL', 'U\u0308ber']);
    const namesContaining = async (text: string) =>
      (await stores.collections.list(all, null, text)).map(({ name }) => name);
    deepStrictEqual(await namesContaining('äPF'), ['mehr \u00c4PFEL', 'Äpfel 100%']);
    deepStrictEqual(await namesContaining('\u00dcBER'), ['U\u0308ber']);
    deepStrictEqual(
      [
        await namesContaining('0%'),
        await namesContaining('_'),
        await namesContaining('p%l'),
        await namesContaining('!'),
      ],
      [['Äpfel 100%'], ['a_pfel'], [], []],
    );
    deepStrictEqual(await pagesOf(stores, all, 1, 'PFEL'), await stores.collections.list(all, null, 'pfel'));
  },

  'a count is the length of the list, also with a visibility and a search text': async (stores) => {
    const client = aProfile();
    await stores.profiles.add(client, noEffects);
    const [a, , c] = await addNamed(stores, ['Aa', 'ab', 'b']);
    for (const id of [a, c])
      await grantToClient(stores.grants, client.id, id, () => ({ grantedAt: start, ...noEffects }));
    const granted: Visibility = { of: 'granted', to: client.id, at: start };
    const count = (visibility: Visibility, text: string | null) => stores.collections.count(visibility, text);
    deepStrictEqual([await count(all, null), await count(all, 'A')], [3, 2]);
    deepStrictEqual([await count(granted, null), await count(granted, 'A')], [2, 1]);
    strictEqual(await count({ of: 'nothing' }, null), 0);
    deepStrictEqual(
      (await stores.collections.list(granted, { limit: 9, after: null }, 'A')).map(({ id }) => id),
      [a],
    );
  },

  'the visibility "granted" shows only collections granted to the profile, in lists, pages and ids': async (stores) => {
    const [client, other] = [aProfile(), aProfile()];
    const [a, b, c] = await addNamed(stores, ['a', 'b', 'c']);
    for (const profile of [client, other]) await stores.profiles.add(profile, noEffects);
    for (const [to, id] of [
      [client.id, c],
      [client.id, a],
      [other.id, b],
    ] as const) {
      await grantToClient(stores.grants, to, id, () => ({ grantedAt: start, ...noEffects }));
    }
    const granted: Visibility = { of: 'granted', to: client.id, at: start };
    deepStrictEqual(await idsOf(stores, granted), [a, c]);
    deepStrictEqual(
      (await pagesOf(stores, granted, 1)).map(({ id }) => id),
      [a, c],
    );
    deepStrictEqual([...(await stores.collections.visibleIds(granted))].sort(), [a, c]);
  },

  'the visibility "granted" shows nothing to a profile without a grant': async (stores) => {
    await addCollection(stores);
    const client = aProfile();
    await stores.profiles.add(client, noEffects);
    const granted: Visibility = { of: 'granted', to: client.id, at: start };
    deepStrictEqual(await stores.collections.list(granted, null), []);
    deepStrictEqual(await stores.collections.visibleIds(granted), []);
  },

  'the visibility "all" shows every collection': async (stores) => {
    await stores.profiles.add(anAdmin(), noEffects);
    const ids = await addNamed(stores, ['a', 'b', 'c']);
    deepStrictEqual(await idsOf(stores, all), ids);
    deepStrictEqual([...(await stores.collections.visibleIds(all))].sort(), ids);
  },

  'the visibility "nothing" shows nothing': async (stores) => {
    await addCollection(stores);
    deepStrictEqual(await stores.collections.list({ of: 'nothing' }, null), []);
    deepStrictEqual(await stores.collections.list({ of: 'nothing' }, { limit: 9, after: null }), []);
    deepStrictEqual(await stores.collections.visibleIds({ of: 'nothing' }), []);
  },

  'collections are found by their exact names, including duplicates, in the order of a list': async (stores) => {
    const names = ['Caf\u00e9', 'b', 'Caf\u00e9', 'caf\u00e9', 'Cafe\u0301', 'c', 'Cafe'];
    const [first, b, second, lower] = await addNamed(stores, names);
    const idsNamed = async (...names: string[]) =>
      (await stores.collections.findByNames(all, names)).map(({ id }) => id);
    deepStrictEqual(await idsNamed('Caf\u00e9'), [first, second]);
    deepStrictEqual(await idsNamed('caf\u00e9', 'b', 'b'), [b, lower!]);
    deepStrictEqual(await stores.collections.findByNames(all, ['b']), [{ id: b, name: 'b' }]);
  },

  'unknown names find nothing': async (stores) => {
    await addNamed(stores, ['Roads', 'Rivers', 'Rails']);
    const unknown = ['', 'roads', 'Road', 'Roads ', '%', '_ails', 'Roads\0', 'Roads\ud800', `Roads'`, '"Roads"'];
    deepStrictEqual(await stores.collections.findByNames(all, unknown), []);
    deepStrictEqual(await stores.collections.findByNames(all, []), []);
    deepStrictEqual(
      (await stores.collections.findByNames(all, [...unknown, 'Rails'])).map(({ name }) => name),
      ['Rails'],
    );
  },

  'many collections are found by name in one call': async (stores) => {
    const names = Array.from({ length: 60 }, (_, at) => `Roads ${at}`);
    await addNamed(stores, [...names, 'Rivers']);
    const query = [...names, ...Array.from({ length: 2_000 }, (_, at) => `Rails ${at}`)];
    const matches = await stores.collections.findByNames(all, query);
    deepStrictEqual(matches.map(({ name }) => name).sort(), names.toSorted());
  },

  'a client finds only granted collections by name, and nothing is found without a grant': async (stores) => {
    const [client, other] = [aProfile(), aProfile()];
    const [roads, rivers] = await addNamed(stores, ['Roads', 'Rivers', 'Roads']);
    for (const profile of [client, other]) await stores.profiles.add(profile, noEffects);
    await grantToClient(stores.grants, client.id, roads, () => ({ grantedAt: start, ...noEffects }));
    await grantToClient(stores.grants, other.id, rivers, () => ({ grantedAt: start, ...noEffects }));
    const idsVisibleTo = async (visibility: Visibility) =>
      (await stores.collections.findByNames(visibility, ['Roads', 'Rivers'])).map(({ id }) => id);
    deepStrictEqual(await idsVisibleTo({ of: 'granted', to: client.id, at: start }), [roads]);
    deepStrictEqual(await idsVisibleTo({ of: 'granted', to: other.id, at: start }), [rivers]);
    deepStrictEqual(await idsVisibleTo({ of: 'nothing' }), []);
  },

  'names leave out collections that do not exist': async (stores) => {
    const [a, b] = await addNamed(stores, ['Ä', 'b', 'c']);
    deepStrictEqual(
      await stores.collections.names([b, nextId(), a, b]),
      new Map([
        [b, 'b'],
        [a, 'Ä'],
      ]),
    );
    deepStrictEqual(await stores.collections.names([]), new Map());
  },
} satisfies Contract<Stores>;

const all: Visibility = { of: 'all' };

const addCollection = async ({ collections }: Stores, collection = aCollection(), document = aDocument()) => {
  await collections.add(collection, { packed: document, operations: [] }, noEffects);
  return collection;
};

/** Adds collections with these names, in this order. Returns their ids as a tuple of at least three. */
const addNamed = async (stores: Stores, names: readonly string[]) => {
  const collections = names.map((name) => aCollection({ name }));
  for (const collection of collections) await addCollection(stores, collection);
  return collections.map(({ id }) => id) as [CollectionId, CollectionId, CollectionId, ...CollectionId[]];
};

const changing =
  (change: Partial<Collection>, effects: Effects = noEffects) =>
  (current: Collection) => ({ collection: { ...current, ...change }, ...effects });

const namesOf = async ({ collections }: Stores) => (await collections.list(all, null)).map(({ name }) => name);

const idsOf = async ({ collections }: Stores, visibility: Visibility) =>
  (await collections.list(visibility, null)).map(({ id }) => id);

const cursorOf = (line: ListedCollection | undefined) => (line ? { nameKey: nameKey(line.name), id: line.id } : null);

const pagesOf = async ({ collections }: Stores, visibility: Visibility, limit: number, text: string | null = null) => {
  const lines: ListedCollection[] = [];
  for (let pages = 0; pages < 20; pages += 1) {
    const page = await collections.list(visibility, { limit, after: cursorOf(lines.at(-1)) }, text);
    if (page.length === 0) break;
    lines.push(...page);
  }
  return lines;
};

const assertDocument = async (
  { collections }: Stores,
  id: CollectionId,
  { deflated, ...rest }: PackedText,
  digest = aCollection().documentDigest,
): Promise<void> => {
  const stored = await collections.document(id);
  const { deflated: octets, ...facts } = stored?.packed ?? { deflated: [] };
  deepStrictEqual(
    { digest: stored?.digest, octets: [...octets], ...facts },
    { digest, octets: [...deflated], ...rest },
  );
};
