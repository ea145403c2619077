import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import type {
  Change,
  Collection,
  CollectionId,
  NewRevision,
  OperationKey,
  RecentPage,
  Visibility,
} from '@portico/domain';
import type { Contract } from './contract.ts';
import { grantToClient } from './granting.ts';
import { aCollection, aDocumentContent, aProfile, aRevision, endOfTime, nextId, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `RevisionStore`, and of how `CollectionStore` adds revisions. */
export const revisionStoreContract = {
  'a new collection has one revision, with the time and the digest of its document': async (stores) => {
    const revision = aRevision({ actorName: 'größe@example.com', origin: 'roads/1.json' });
    const { id } = await addCollection(stores, revision);
    deepStrictEqual(await listOf(stores, id), [toRevision(1, 'a', start, revision)]);
    deepStrictEqual(await stores.revisions.find(id, 1), toRevision(1, 'a', start, revision));
  },

  'a document with another digest becomes the next revision, also if an earlier one had that digest': async (
    stores,
  ) => {
    const first = aRevision();
    const { id } = await addCollection(stores, first);
    const second = aRevision({ counts: { breaking: 3, warning: 2, info: 1 }, breakingTexts: ['größer "1"', 'b'] });
    const third = aRevision({ actorId: null, actorName: null });
    await revise(stores, id, 'b', { revision: second, updatedAt: start + 5 });
    await revise(stores, id, 'a', { revision: third, updatedAt: start + 6 });
    deepStrictEqual(await listOf(stores, id), [
      toRevision(3, 'a', start + 6, third),
      toRevision(2, 'b', start + 5, second),
      toRevision(1, 'a', start, first),
    ]);
  },

  'a change without a document, or with the same digest, adds no revision': async (stores) => {
    const { id } = await addCollection(stores);
    await revise(stores, id, 'a');
    await stores.collections.update(id, (current) => ({ collection: { ...current, name: 'Renamed' }, ...noEffects }));
    strictEqual(await stores.revisions.count(id), 1);
  },

  'a change that fails adds no revision': async (stores) => {
    const { id } = await addCollection(stores);
    const attempt = stores.collections.update(id, () => {
      throw new Error('failed');
    });
    await rejects(attempt);
    strictEqual(await stores.revisions.count(id), 1);
  },

  'each revision keeps the text that it had': async (stores) => {
    const { id } = await addCollection(stores);
    await revise(stores, id, 'b', { text: '{"größe":2}' });
    await revise(stores, id, 'c', { text: '{"größe":3}' });
    const textOf = async (number: number) => {
      const { digest, packed } = (await stores.revisions.findText(id, number)) ?? {};
      return packed && { digest, ...packed, deflated: [...packed.deflated] };
    };
    const expectedText = (letter: string, text: string) => {
      const { packed } = aDocumentContent(text);
      return { digest: digestOf(letter), ...packed, deflated: [...packed.deflated] };
    };
    const expectedTexts = [expectedText('a', '{}'), expectedText('b', '{"größe":2}'), expectedText('c', '{"größe":3}')];
    deepStrictEqual(await Promise.all([textOf(1), textOf(2), textOf(3)]), expectedTexts);
    (await stores.revisions.findText(id, 3))?.packed.deflated.fill(7);
    (await stores.revisions.findText(id, 1))?.packed.deflated.fill(7);
    deepStrictEqual(await Promise.all([textOf(1), textOf(2), textOf(3)]), expectedTexts);
  },

  'each revision keeps its changes': async (stores) => {
    const changes = [aChange({ example: '1.00' }), aChange({ operation: null, level: 'info' })];
    const { id } = await addCollection(stores);
    await revise(stores, id, 'b', { revision: aRevision({ changes }) });
    await revise(stores, id, 'c');
    deepStrictEqual(await stores.revisions.findChanges(id, 2), changes);
    deepStrictEqual(await stores.revisions.findChanges(id, 3), []);
  },

  'a missing revision has no text and no changes': async (stores) => {
    const { id } = await addCollection(stores);
    await revise(stores, (await addCollection(stores)).id, 'b');
    const missing: readonly (readonly [CollectionId, number])[] = [
      [id, 2],
      [id, 0],
      [nextId(), 1],
    ];
    for (const [collectionId, number] of missing) {
      strictEqual(await stores.revisions.find(collectionId, number), null);
      strictEqual(await stores.revisions.findText(collectionId, number), null);
      strictEqual(await stores.revisions.findChanges(collectionId, number), null);
    }
    strictEqual(await stores.revisions.count(nextId()), 0);
  },

  'the revisions of a collection are listed newest first, and the pages are contiguous': async (stores) => {
    const { id } = await addCollection(stores);
    await addCollection(stores);
    for (const letter of ['b', 'c', 'd']) await revise(stores, id, letter);
    const pageOf = async (limit: number, before: number | null) =>
      (await stores.revisions.list(id, { limit, before })).map(({ number }) => number);
    deepStrictEqual(
      [await pageOf(9, null), await pageOf(2, null), await pageOf(1, 3), await pageOf(9, 1)],
      [[4, 3, 2, 1], [4, 3], [2], []],
    );
    strictEqual(await stores.revisions.count(id), 4);
  },

  'removing a collection removes its revisions': async (stores) => {
    const [removed, remaining] = [await addCollection(stores), await addCollection(stores)];
    await revise(stores, removed.id, 'b');
    await stores.collections.remove(removed.id, () => noEffects);
    deepStrictEqual([await stores.revisions.count(removed.id), await stores.revisions.count(remaining.id)], [0, 1]);
  },

  'the revisions of all collections contain only those of visible ones, with the names of these': async (stores) => {
    const profile = aProfile();
    await stores.profiles.add(profile, noEffects);
    const [roads, bridges] = [await addCollection(stores), await addCollection(stores)];
    await grantToClient(stores.grants, profile.id, roads.id, () => ({
      ...{ grantedAt: start, expiresAt: start + 5 },
      ...noEffects,
    }));
    const granted = (now: number): Visibility => ({ scope: 'granted', profileId: profile.id, now });
    const idsOf = async (visibility: Visibility) =>
      (await recentOf(stores, visibility)).map(({ collectionId }) => collectionId);
    deepStrictEqual(await idsOf({ scope: 'all' }), [bridges.id, roads.id]);
    deepStrictEqual(await idsOf(granted(start + 4)), [roads.id]);
    deepStrictEqual(await idsOf(granted(start + 5)), []);
    deepStrictEqual(await idsOf({ scope: 'none' }), []);
    strictEqual((await recentOf(stores))[0]?.collectionName, bridges.name);
  },

  'the revisions of all collections are those that were created at an instant or later': async (stores) => {
    const { id } = await addCollection(stores);
    await revise(stores, id, 'b', { updatedAt: start + 5 });
    await revise(stores, id, 'c', { updatedAt: start + 6 });
    const numbersSince = async (since: number) =>
      (await recentOf(stores, { scope: 'all' }, { since })).map(({ number }) => number);
    deepStrictEqual([await numbersSince(start + 5), await numbersSince(start + 6)], [[3, 2], [3]]);
  },

  'the revisions of all collections are sorted by time, collection and number, and the pages are contiguous': async (
    stores,
  ) => {
    const [first, second] = [await addCollection(stores), await addCollection(stores)];
    await revise(stores, second.id, 'b', { updatedAt: start });
    await revise(stores, first.id, 'b', { updatedAt: start + 1 });
    const all = await recentOf(stores);
    deepStrictEqual(
      all.map(({ collectionId, number }) => [collectionId, number]),
      [
        [first.id, 2],
        [second.id, 2],
        [second.id, 1],
        [first.id, 1],
      ],
    );
    for (const [index, after] of all.entries())
      deepStrictEqual(await recentOf(stores, { scope: 'all' }, { after, limit: 2 }), all.slice(index + 1, index + 3));
  },

  'a revision is removed if it is neither among the newest nor recent': async (stores) => {
    const { id } = await addCollection(stores);
    for (const [index, letter] of ['b', 'c', 'd'].entries())
      await revise(stores, id, letter, { updatedAt: start + index + 1 });
    const numbers = async () => (await listOf(stores, id)).map(({ number }) => number);
    strictEqual(await stores.revisions.prune({ newest: 4, since: endOfTime }, 9), 0);
    strictEqual(await stores.revisions.prune({ newest: 1, since: start }, 9), 0);
    strictEqual(await stores.revisions.prune({ newest: 1, since: start + 1 }, 9), 1);
    deepStrictEqual(await numbers(), [4, 3, 2]);
    strictEqual(await stores.revisions.prune({ newest: 2, since: endOfTime }, 9), 1);
    deepStrictEqual(await numbers(), [4, 3]);
    await revise(stores, id, 'e');
    deepStrictEqual(await numbers(), [5, 4, 3]);
  },

  'the oldest revisions are removed first, up to the limit': async (stores) => {
    const [first, second] = [await addCollection(stores), await addCollection(stores)];
    await revise(stores, first.id, 'b', { updatedAt: start + 1 });
    await revise(stores, first.id, 'c', { updatedAt: start + 2 });
    await revise(stores, second.id, 'b', { updatedAt: start + 3 });
    const counts = async () => [await stores.revisions.count(first.id), await stores.revisions.count(second.id)];
    strictEqual(await stores.revisions.prune({ newest: 1, since: endOfTime }, 2), 2);
    deepStrictEqual(await counts(), [2, 1]);
    strictEqual(await stores.revisions.prune({ newest: 1, since: endOfTime }, 2), 1);
    deepStrictEqual(await counts(), [1, 1]);
  },

  'the revisions are counted, with the size of the texts that are not current': async (stores) => {
    deepStrictEqual(await stores.revisions.measure(), { revisions: 0, packedBytes: 0 });
    const { id } = await addCollection(stores);
    await addCollection(stores);
    deepStrictEqual(await stores.revisions.measure(), { revisions: 2, packedBytes: 0 });
    await revise(stores, id, 'b', { text: '{"longer":true}' });
    const packedBytes = aDocumentContent('{}').packed.deflated.length;
    deepStrictEqual(await stores.revisions.measure(), { revisions: 3, packedBytes });
  },
} satisfies Contract<Stores>;

const digestOf = (letter: string): string => letter.repeat(64);

/** Adds a collection with the digest of `a`. */
const addCollection = async ({ collections }: Stores, revision: NewRevision = aRevision()): Promise<Collection> => {
  const collection = aCollection({ documentDigest: digestOf('a') });
  await collections.add(collection, { ...aDocumentContent('{}'), revision }, noEffects);
  return collection;
};

const revise = (
  { collections }: Stores,
  id: CollectionId,
  letter: string,
  {
    text = `{"letter":"${letter}"}`,
    revision = aRevision(),
    updatedAt = start,
  }: { readonly text?: string; readonly revision?: NewRevision; readonly updatedAt?: number } = {},
): Promise<Collection> =>
  collections.update(id, (current) => ({
    collection: { ...current, documentDigest: digestOf(letter), updatedAt },
    document: { ...aDocumentContent(text), revision },
    ...noEffects,
  }));

const toRevision = (
  number: number,
  letter: string,
  createdAt: number,
  { changes: _changes, ...rest }: NewRevision,
) => ({
  ...{ number, digest: digestOf(letter), createdAt },
  ...rest,
});

const aChange = (fields: Partial<Change> = {}): Change => ({
  rule: 'api-removed-without-deprecation',
  level: 'breaking',
  operation: { key: 'aaaaaaaaaaaaaaaa' as OperationKey, method: 'GET', path: '/straßen' },
  place: '',
  text: 'Größe "1"',
  example: null,
  fingerprint: '0123456789ab',
  ...fields,
});

const listOf = ({ revisions }: Stores, id: CollectionId) => revisions.list(id, { limit: 99, before: null });

const recentOf = ({ revisions }: Stores, visibility: Visibility = { scope: 'all' }, page: Partial<RecentPage> = {}) =>
  revisions.listRecent(visibility, { limit: 99, since: null, after: null, ...page });
