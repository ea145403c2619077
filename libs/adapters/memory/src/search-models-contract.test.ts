import { searchModelsContract } from '@portico/contracts';
import type { ModelProgress, SearchModelsState } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { announce, remove: removeModel, readProgress, promote, removeEmbeddings, readState } = breachesOf('models');

const mapState = (alter: (state: SearchModelsState) => Partial<SearchModelsState>) =>
  readState.mapResult((state) => ({ ...state, ...alter(state) }));

const mapProgress = (alter: (progress: ModelProgress) => Partial<ModelProgress>) =>
  readProgress.mapResult((progress) => ({ ...progress, ...alter(progress) }));

proveStores('the memory search models', searchModelsContract, {
  'a new database has no models, and searches use none': mapState(({ serving }) => ({ serving: serving ?? 'm1' })),
  'an announced model is recorded with the times of its first and last announcement': announce.replaceWith(
    async ([modelId, now], _original, { models }) =>
      void models.set(modelId, { modelId, firstSeenAt: now, lastSeenAt: now }),
  ),
  'a clock that is behind does not move the last announcement back or sort a new model before an earlier one':
    announce.replaceWith(async ([modelId, now], _original, { models }) => {
      const firstSeenAt = models.get(modelId)?.firstSeenAt ?? now;
      models.set(modelId, { modelId, firstSeenAt, lastSeenAt: now });
    }),
  'models are listed in the order of their first announcement': mapState(({ announcedModels }) => ({
    announcedModels: [...announcedModels].sort((a, b) => a.lastSeenAt - b.lastSeenAt),
  })),
  'the state contains the epochs of the catalog, of embeddings and of operations': mapState(({ epochs }) => ({
    epochs: { ...epochs, embeddings: epochs.catalog },
  })),
  'the progress counts the collections with a vector from the serving model, and those that also have one from the next model':
    readProgress.mapResult((progress, _args, { collections }) => ({ ...progress, total: collections.size })),
  'a vector from the next model does not count if it is of an older revision of the text than the one from the serving model':
    mapProgress(({ total }) => ({
      done: total,
    })),
  'a collection whose job is a dead letter counts as failed, unless it has a vector from the next model': mapProgress(
    ({ total, done }) => ({
      failed: total - done,
    }),
  ),
  'searches use the first model immediately': promote.replaceWith(async () => false),
  'when several models replace the same model, only the first promotion succeeds': promote.replaceWith(
    async ([, to], original) => original.promote((await original.readState()).serving, to),
  ),
  'searches do not switch models while a collection would no longer be found': promote.replaceWith(
    async ([from, to], _original, database) => {
      if (database.searchModel !== from) return false;
      database.searchModel = to;
      return true;
    },
  ),
  'a collection without a vector or with a dead letter does not prevent a switch': promote.replaceWith(
    async ([from, to], original) => {
      const { total, done } = await original.readProgress(from ?? '', to);
      return done === total && original.promote(from, to);
    },
  ),
  'embeddings from a model are removed up to the limit, and those from other models are kept':
    removeEmbeddings.runAfter(({ embeddings }, [, limit], removedCount) => removedCount < limit && embeddings.clear()),
  'embeddings from the serving model are not removed': removeEmbeddings.replaceWith(
    async (_args, _original, { embeddings }) => {
      embeddings.clear();
      return 1;
    },
  ),
  'a model is removed unless it has been announced since then, is serving or has embeddings': removeModel.replaceWith(
    async ([{ modelId }], _original, { models }) => void models.delete(modelId),
  ),
});
