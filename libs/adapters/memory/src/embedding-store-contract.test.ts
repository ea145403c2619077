import { embeddingStoreContract } from '@portico/contracts';
import type { CollectionId } from '@portico/domain';
import { breachesOf, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKey, type MemoryDatabase } from './memory-database.ts';

const { changedSince, collectionsAfter, embedded, outdated, put, upToDate } = breachesOf('embeddings');

/** Lists all collections as outdated except those for which the callback returns true. */
const outdatedUnless = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  outdated.replaceWith(async ([modelId], _original, database) =>
    [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  );

proveStores('the memory embedding store', embeddingStoreContract, {
  'an embedding is returned exactly as it was put': changedSince.mapResult((changes) =>
    changes.map((change) => ({ ...change, vector: change.vector.map((x) => Math.round(x * 1e6) / 1e6) })),
  ),
  'an embedding replaces the earlier one of its collection, with a later sequence': put.restoreAfter(
    ({ embeddings }, [{ collectionId, modelId }]) =>
      saveEntry(embeddings, embeddingKey(collectionId, modelId), (after, { sequence }) => ({ ...after, sequence })),
  ),
  'an embedding by another model does not replace the earlier one': put.runAfter(({ embeddings }) => {
    for (const key of [...embeddings.keys()].slice(0, -1)) embeddings.delete(key);
  }),
  'the collections of a model are returned by id, in batches': collectionsAfter.mapResult((ids) => ids.toReversed()),
  'concurrent puts get different sequences': put.runOnStaleState((database) => {
    const before = database.lastSequence;
    return () => (database.lastSequence = before);
  }),
  'a sequence is not reused after a removal': put.runBefore((database) => {
    database.lastSequence = Math.max(0, ...[...database.embeddings.values()].map(({ sequence }) => sequence));
  }),
  'an embedding of a missing collection is not stored': put.replaceWith(
    async ([embedding], original, { embeddings }) => {
      if (await original.put(embedding)) return true;
      embeddings.set('any', { embedding, sequence: 1 });
      return false;
    },
  ),
  'an embedding of an older or newer text is not stored, and the earlier one stays': put.replaceWith(
    async ([embedding], original, { collections }) => {
      const current = collections.get(embedding.collectionId)?.contentRevision ?? 0;
      return original.put({ ...embedding, contentRevision: Math.min(embedding.contentRevision, current) });
    },
  ),
  'changing the numbers passed or returned does not change a stored vector': changedSince.mapResult(
    (changes, _args, { embeddings }) =>
      changes.map((change) => ({
        ...change,
        vector: embeddings.get(embeddingKey(change.collectionId, 'm1'))?.embedding.vector ?? change.vector,
      })),
  ),
  'changes after a sequence are returned in order, up to the limit': changedSince.replaceWith(
    async ([after, modelId, limit], original) =>
      (await original.changedSince(after, modelId, 99))
        .toSorted((a, b) => (a.collectionId < b.collectionId ? -1 : 1))
        .slice(0, limit),
  ),
  'changes are those of the requested model': changedSince.replaceWith(async ([after], _original, { embeddings }) =>
    [...embeddings.values()]
      .filter(({ sequence }) => sequence > after)
      .map(({ sequence, embedding }) => ({ ...embedding, sequence })),
  ),
  'a collection is outdated while its embedding by the model is missing or made from an older text': outdatedUnless(
    ({ embeddings }, id, modelId) => embeddings.has(embeddingKey(id, modelId)),
  ),
  'the embedding stays up to date after a change that does not affect the text': outdatedUnless(
    ({ embeddings, collections }, id, modelId) =>
      embeddings.get(embeddingKey(id, modelId))?.embedding.contentRevision === collections.get(id)?.revision,
  ),
  'only up-to-date embeddings of the model count as embedded': embedded.mapResult(
    (_count, _args, { embeddings }) => embeddings.size,
  ),
  'the models of a collection are those whose embedding is up to date': upToDate.replaceWith(
    async ([id], _original, { embeddings }) =>
      [...embeddings.values()]
        .filter(({ embedding }) => embedding.collectionId === id)
        .map(({ embedding }) => embedding.modelId),
  ),
});
