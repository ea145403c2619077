import { embeddingStoreContract } from '@portico/contracts';
import type { CollectionId } from '@portico/domain';
import { breachesOf, saveEntry } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKeyOf, type MemoryDatabase } from './memory-database.ts';

const { listChangedSince, listCollectionsAfter, countEmbedded, listOutdated, put, listUpToDateModels } =
  breachesOf('embeddings');

/** Lists all collections as outdated except those for which the callback returns true. */
const listOutdatedUnless = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  listOutdated.replaceWith(async ([modelId], _original, database) =>
    [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  );

proveStores('the memory embedding store', embeddingStoreContract, {
  'an embedding is returned exactly as it was stored': listChangedSince.mapResult((changes) =>
    changes.map((change) => ({ ...change, vector: change.vector.map((value) => Math.round(value * 1e6) / 1e6) })),
  ),
  "an embedding replaces its collection's previous embedding and gets a higher sequence number": put.restoreAfter(
    ({ embeddings }, [{ collectionId, modelId }]) =>
      saveEntry(embeddings, embeddingKeyOf(collectionId, modelId), (after, { sequence }) => ({ ...after, sequence })),
  ),
  'an embedding from a different model does not replace the existing one': put.runAfter(({ embeddings }) => {
    for (const key of [...embeddings.keys()].slice(0, -1)) embeddings.delete(key);
  }),
  'the collections with data from a model are returned in batches, ordered by id': listCollectionsAfter.mapResult(
    (ids) => ids.toReversed(),
  ),
  'concurrent writes get distinct sequence numbers': put.runOnStaleState((database) => {
    const before = database.lastSequence;
    return () => (database.lastSequence = before);
  }),
  'a sequence number is not reused after its collection is removed': put.runBefore((database) => {
    database.lastSequence = Math.max(0, ...[...database.embeddings.values()].map(({ sequence }) => sequence));
  }),
  'an embedding of a missing collection is not stored': put.replaceWith(
    async ([embedding], original, { embeddings }) => {
      if (await original.put(embedding)) return true;
      embeddings.set('any', { embedding, sequence: 1 });
      return false;
    },
  ),
  'an embedding of an older or newer revision of the text is not stored, and the existing one is kept': put.replaceWith(
    async ([embedding], original, { collections }) => {
      const currentRevision = collections.get(embedding.collectionId)?.contentRevision ?? 0;
      return original.put({ ...embedding, contentRevision: Math.min(embedding.contentRevision, currentRevision) });
    },
  ),
  'changing a vector that was passed or returned does not change the stored vector': listChangedSince.mapResult(
    (changes, _args, { embeddings }) =>
      changes.map((change) => ({
        ...change,
        vector: embeddings.get(embeddingKeyOf(change.collectionId, 'm1'))?.embedding.vector ?? change.vector,
      })),
  ),
  'changes after a given sequence number are returned in order, up to the limit': listChangedSince.replaceWith(
    async ([after, modelId, limit], original) =>
      (await original.listChangedSince(after, modelId, 99))
        .toSorted((a, b) => (a.collectionId < b.collectionId ? -1 : 1))
        .slice(0, limit),
  ),
  'only changes for the requested model are returned': listChangedSince.replaceWith(
    async ([after], _original, { embeddings }) =>
      [...embeddings.values()]
        .filter(({ sequence }) => sequence > after)
        .map(({ sequence, embedding }) => ({ ...embedding, sequence })),
  ),
  'a collection is outdated if it has no embedding from the model, or only one of an older revision':
    listOutdatedUnless(({ embeddings }, id, modelId) => embeddings.has(embeddingKeyOf(id, modelId))),
  'a change that does not affect the text does not make the embedding outdated': listOutdatedUnless(
    ({ embeddings, collections }, id, modelId) =>
      embeddings.get(embeddingKeyOf(id, modelId))?.embedding.contentRevision === collections.get(id)?.revision,
  ),
  'only collections with an up-to-date embedding from the model count as embedded': countEmbedded.mapResult(
    (_count, _args, { embeddings }) => embeddings.size,
  ),
  'the models of a collection are those with an up-to-date embedding': listUpToDateModels.replaceWith(
    async ([id], _original, { embeddings }) =>
      [...embeddings.values()]
        .filter(({ embedding }) => embedding.collectionId === id)
        .map(({ embedding }) => embedding.modelId),
  ),
});
