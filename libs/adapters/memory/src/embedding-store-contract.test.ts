import { embeddingStoreContract } from '@portico/contracts';
import type { CollectionId } from '@portico/domain';
import { breachesOf, restoringPart } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { embeddingKey, type MemoryDatabase } from './memory-database.ts';

const { changedSince, collectionsAfter, embedded, outdated, put, upToDate } = breachesOf('embeddings');

/** Outdated by a wrong criterion. */
const misjudging = (isUpToDate: (database: MemoryDatabase, id: CollectionId, modelId: string) => boolean) =>
  outdated.instead(async ([modelId], _right, database) =>
    [...database.collections.keys()].filter((id) => !isUpToDate(database, id, modelId)),
  );

proveStores('the memory embedding store', embeddingStoreContract, {
  'an embedding is returned exactly as it was put': changedSince.returning((changes) =>
    changes.map((change) => ({ ...change, vector: change.vector.map((x) => Math.round(x * 1e6) / 1e6) })),
  ),
  'an embedding replaces the earlier one of its collection, with a later sequence': put.leaving(
    ({ embeddings }, [{ collectionId, modelId }]) =>
      restoringPart(embeddings, embeddingKey(collectionId, modelId), (after, { sequence }) => ({ ...after, sequence })),
  ),
  'an embedding by another model stands beside the earlier one': put.followed(({ embeddings }) => {
    for (const key of [...embeddings.keys()].slice(0, -1)) embeddings.delete(key);
  }),
  'the collections of a model come by id, a portion at a time': collectionsAfter.returning((ids) => ids.toReversed()),
  'concurrent puts get different sequences': put.racing((database) => {
    const before = database.lastSequence;
    return () => (database.lastSequence = before);
  }),
  'a sequence is not reused after a removal': put.preceded((database) => {
    database.lastSequence = Math.max(0, ...[...database.embeddings.values()].map(({ sequence }) => sequence));
  }),
  'an embedding of a missing collection is not stored': put.instead(async ([embedding], right, { embeddings }) => {
    if (await right.put(embedding)) return true;
    embeddings.set('any', { embedding, sequence: 1 });
    return false;
  }),
  'an embedding of an older or newer text is not stored, and the earlier one stays': put.instead(
    async ([embedding], right, { collections }) => {
      const present = collections.get(embedding.collectionId)?.contentRevision ?? 0;
      return right.put({ ...embedding, contentRevision: Math.min(embedding.contentRevision, present) });
    },
  ),
  'changing the numbers given or returned does not change a stored vector': changedSince.returning(
    (changes, _asked, { embeddings }) =>
      changes.map((change) => ({
        ...change,
        vector: embeddings.get(embeddingKey(change.collectionId, 'm1'))?.embedding.vector ?? change.vector,
      })),
  ),
  'changes after a sequence are returned in order, up to the limit': changedSince.instead(
    async ([after, modelId, limit], right) =>
      (await right.changedSince(after, modelId, 99))
        .toSorted((a, b) => (a.collectionId < b.collectionId ? -1 : 1))
        .slice(0, limit),
  ),
  'changes are those of the requested model': changedSince.instead(async ([after], _right, { embeddings }) =>
    [...embeddings.values()]
      .filter(({ sequence }) => sequence > after)
      .map(({ sequence, embedding }) => ({ ...embedding, sequence })),
  ),
  'a collection is outdated while its embedding by the model is missing or made from an older text': misjudging(
    ({ embeddings }, id, modelId) => embeddings.has(embeddingKey(id, modelId)),
  ),
  'a change that leaves the text alone leaves its embedding up to date': misjudging(
    ({ embeddings, collections }, id, modelId) =>
      embeddings.get(embeddingKey(id, modelId))?.embedding.contentRevision === collections.get(id)?.revision,
  ),
  'only up-to-date embeddings of the model count as embedded': embedded.returning(
    (_count, _asked, { embeddings }) => embeddings.size,
  ),
  'the models of a collection are those whose embedding is up to date': upToDate.instead(
    async ([id], _right, { embeddings }) =>
      [...embeddings.values()]
        .filter(({ embedding }) => embedding.collectionId === id)
        .map(({ embedding }) => embedding.modelId),
  ),
});
