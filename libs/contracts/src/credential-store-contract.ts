import { deepStrictEqual, notDeepStrictEqual, strictEqual } from 'node:assert/strict';
import type { Collection, CollectionId, StoredCredential } from '@portico/domain';
import { assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import {
  aCollection,
  aCredential,
  aDocumentContent,
  aProfile,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `CredentialStore` for credentials for everyone; see also `subjectCredentialsContract`. */
export const credentialStoreContract = {
  'credentials are returned exactly as they were stored, by scheme in code point order': async (stores) => {
    const { id } = await addCollection(stores);
    const credentials = [
      aCredential('größe 愛', { kind: 'client', sealed: 'YQ', createdAt: start + 3, updatedAt: start + 4 }),
      aCredential('Z', { kind: 'basic' }),
      aCredential('\ufb01'),
      aCredential('😀'),
      aCredential('a'),
    ];
    await put(stores, id, credentials);
    const order = ['Z', 'a', 'größe 愛', '\ufb01', '😀'];
    deepStrictEqual(
      await stores.credentials.list(id),
      order.map((name) => credentials.find(({ scheme }) => scheme === name)),
    );
  },

  'a missing collection and one without credentials have none': async (stores) => {
    const { id } = await addCollection(stores);
    await put(stores, (await addCollection(stores)).id, [aCredential('a')]);
    deepStrictEqual(await stores.credentials.list(id), []);
    deepStrictEqual(await stores.credentials.list(nextId()), []);
  },

  'an update bases its decision on the current collection and its credentials': async (stores) => {
    const { id } = await addCollection(stores);
    const [a, b] = [aCredential('a'), aCredential('b')];
    await put(stores, id, [b, a]);
    let capturedInput: unknown;
    await stores.credentials.update(id, (...input) => {
      capturedInput = input;
      return null;
    });
    deepStrictEqual(capturedInput, [await stores.collections.find(id), [a, b]]);
  },

  "an update replaces all credentials of the collection, and none of other collections'": async (stores) => {
    const [changed, other] = [await addCollection(stores), await addCollection(stores)];
    const otherCredentials = [aCredential('a'), aCredential('b')];
    await put(stores, changed.id, [aCredential('a'), aCredential('b')]);
    await put(stores, other.id, otherCredentials);
    const newCredential = aCredential('b', { sealed: 'bmV3' });
    await put(stores, changed.id, [newCredential]);
    deepStrictEqual(await stores.credentials.list(changed.id), [newCredential]);
    deepStrictEqual(await stores.credentials.list(other.id), otherCredentials);
  },

  'an update stores the collection with the schemes of its credentials, and returns it': async (stores) => {
    const before = await addCollection(stores);
    const storedAuthentication = {
      type: 'bearer',
      name: 'X',
      in: null,
      sealedValue: 'c2VhbGVk',
      origins: ['https://roads.example.com'],
    } as const;
    const change = { storedAuthentication, revision: 2, updatedAt: start + 9, credentialSchemes: ['other'] };
    const result = await stores.credentials.update(before.id, (current) => ({
      collection: { ...current, ...change },
      credentials: [aCredential('b'), aCredential('a')],
      ...noEffects,
    }));
    const expected: Collection = { ...before, ...change, credentialSchemes: ['a', 'b'] };
    deepStrictEqual([result, await stores.collections.find(before.id)], [expected, expected]);
  },

  'the schemes are read together with the caller': async (stores) => {
    const { id } = await addCollection(stores);
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    const readSchemes = async () =>
      (await stores.callers.findByUid(profile.uid, { id, detail: 'full' }, start))?.target?.credentialSchemes;
    deepStrictEqual(await readSchemes(), []);
    await put(stores, id, [aCredential('a')]);
    deepStrictEqual(await readSchemes(), ['a']);
    await put(stores, id, []);
    deepStrictEqual(await readSchemes(), []);
  },

  'a change of the collection keeps its credentials': async (stores) => {
    const { id } = await addCollection(stores);
    const credential = aCredential('a');
    await put(stores, id, [credential]);
    await stores.collections.update(id, (current) => ({
      collection: { ...current, name: 'New' },
      document: aDocumentContent('{}'),
      ...noEffects,
    }));
    deepStrictEqual(await stores.credentials.list(id), [credential]);
    deepStrictEqual((await stores.collections.find(id))?.credentialSchemes, ['a']);
  },

  'an update invalidates cached lists': async (stores) => {
    const { id } = await addCollection(stores);
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    const before = (await rowOf(stores, profile)).epochs.catalog;
    await put(stores, id, [aCredential('a')]);
    notDeepStrictEqual((await rowOf(stores, profile)).epochs.catalog, before);
  },

  'an update writes its effects': async (stores) => {
    const { id } = await addCollection(stores);
    const effects = someEffects();
    await stores.credentials.update(id, (collection) => ({ collection, credentials: [], ...effects }));
    await assertWritten(stores, effects);
  },

  'an update whose decision returns null or throws writes nothing': async (stores) => {
    const { id } = await addCollection(stores);
    const credential = aCredential('a');
    await put(stores, id, [credential]);
    const before = await stores.collections.find(id);
    deepStrictEqual(await stores.credentials.update(id, () => null), before);
    await assertRejects(stores.credentials.update(id, failDecision), 'already_approved');
    deepStrictEqual(await stores.credentials.list(id), [credential]);
    await assertWritten(stores);
  },

  'updating a missing collection throws before the decision is called': async (stores) => {
    await addCollection(stores);
    await assertRejects(stores.credentials.update(nextId(), failDecision), 'collection_not_found');
  },

  'concurrent updates of the same collection each see the previous update': async (stores) => {
    const { id } = await addCollection(stores);
    const schemes = Array.from({ length: 10 }, (_, index) => `scheme ${index}`);
    await Promise.all(
      schemes.map((scheme) =>
        stores.credentials.update(id, (collection, credentials) => ({
          collection: { ...collection, revision: collection.revision + 1 },
          credentials: [...credentials, aCredential(scheme)],
          ...noEffects,
        })),
      ),
    );
    const collection = await stores.collections.find(id);
    deepStrictEqual([collection?.revision, collection?.credentialSchemes], [11, schemes]);
  },

  'removing a collection removes its credentials': async (stores) => {
    const collection = await addCollection(stores);
    await put(stores, collection.id, [aCredential('a')]);
    await stores.collections.remove(collection.id, () => noEffects);
    deepStrictEqual(await stores.credentials.list(collection.id), []);
    await addCollection(stores, collection);
    strictEqual((await stores.credentials.list(collection.id)).length, 0);
  },
} satisfies Contract<Stores>;

const addCollection = async ({ collections }: Stores, collection = aCollection()): Promise<Collection> => {
  await collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

const put = ({ credentials }: Stores, id: CollectionId, content: readonly StoredCredential[]): Promise<Collection> =>
  credentials.update(id, (collection) => ({ collection, credentials: content, ...noEffects }));
