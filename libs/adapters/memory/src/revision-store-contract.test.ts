import { revisionStoreContract } from '@portico/contracts';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase, StoredRevision } from './memory-database.ts';

const { find, findChanges, findText, list, listRecent, measure, prune } = breachesOf('revisions');
const { add, remove, update } = breachesOf('collections');

/** Changes the newest revision of a collection after the method has run. */
const alterNewest =
  (alter: (stored: StoredRevision, list: readonly StoredRevision[]) => Partial<StoredRevision>) =>
  ({ revisions }: MemoryDatabase, [{ id }]: readonly [{ readonly id: never }, ...unknown[]]): void => {
    const storedRevisions = revisions.get(id) ?? [];
    const newest = storedRevisions.at(-1);
    if (newest) revisions.set(id, storedRevisions.with(-1, { ...newest, ...alter(newest, storedRevisions) }));
  };

const repeatNewest = ({ revisions }: MemoryDatabase, id: never): void => {
  const newest = revisions.get(id)?.at(-1);
  const next = newest && { ...newest, revision: { ...newest.revision, number: newest.revision.number + 1 } };
  if (next) revisions.set(id, [...(revisions.get(id) ?? []), next]);
};

proveStores('the memory store of revisions', revisionStoreContract, {
  'a new collection has one revision, with the time and the digest of its document': add.runAfter((database, [added]) =>
    alterNewest(({ revision }) => ({ revision: { ...revision, origin: null } }))(database, [added as never]),
  ),
  'a document with another digest becomes the next revision, also if an earlier one had that digest': update.runAfter(
    ({ revisions }, [id]) => {
      const storedRevisions = revisions.get(id) ?? [];
      const digests = storedRevisions.slice(0, -1).map(({ revision }) => revision.digest);
      const newest = storedRevisions.at(-1);
      if (newest && digests.includes(newest.revision.digest)) revisions.set(id, storedRevisions.slice(0, -1));
    },
  ),
  'a change without a document, or with the same digest, adds no revision': update.runAfter((database, [id]) =>
    repeatNewest(database, id as never),
  ),
  'a change that fails adds no revision': update.replaceWith(async ([id, decide], original, database) => {
    try {
      return await original.update(id, decide);
    } catch (error) {
      repeatNewest(database, id as never);
      throw error;
    }
  }),
  'each revision keeps the text that it had': findText.replaceWith(
    async ([id, number], _original, { revisions, documents }) => {
      const stored = revisions.get(id)?.find(({ revision }) => revision.number === number);
      const packed = documents.get(id);
      return stored && packed ? { digest: stored.revision.digest, packed } : null;
    },
  ),
  'each revision keeps its changes': findChanges.mapResult((changes) => changes?.slice(0, 1) ?? null),
  'a missing revision has no text and no changes': find.replaceWith(
    async ([id, number], original) => (await original.find(id, number)) ?? original.find(id, 1),
  ),
  'the revisions of a collection are listed newest first, and the pages are contiguous': list.mapArguments(
    ([id, { limit, before }]) => [id, { limit, before: before && before - 1 }],
  ),
  'removing a collection removes its revisions': remove.restoreAfter(({ revisions }, [id]) => {
    const storedRevisions = revisions.get(id) ?? [];
    return () => revisions.set(id, storedRevisions);
  }),
  'the revisions of all collections contain only those of visible ones, with the names of these':
    listRecent.mapArguments(([visibility, page]) => [
      visibility.scope === 'granted' ? { ...visibility, now: 0 } : visibility,
      page,
    ]),
  'the revisions of all collections are those that were created at an instant or later': listRecent.mapArguments(
    ([visibility, page]) => [visibility, { ...page, since: page.since && page.since + 1 }],
  ),
  'the revisions of all collections are sorted by time, collection and number, and the pages are contiguous':
    listRecent.mapResult((revisions) => revisions.toSorted((a, b) => b.createdAt - a.createdAt || a.number - b.number)),
  'a revision is removed if it is neither among the newest nor recent': prune.mapArguments(([retention, limit]) => [
    { ...retention, newest: retention.newest - 1 },
    limit,
  ]),
  'the oldest revisions are removed first, up to the limit': prune.mapArguments(([retention]) => [retention, 9]),
  'the revisions are counted, with the size of the texts that are not current': measure.mapResult(
    (_totals, _args, { revisions, documents }) => ({
      revisions: [...revisions.values()].flat().length,
      packedBytes: [...documents.values()].reduce((sum, { deflated }) => sum + deflated.length, 0),
    }),
  ),
});
