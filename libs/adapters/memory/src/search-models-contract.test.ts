import { searchModelsContract } from '@portico/contracts';
import type { ModelProgress, SearchModelsState } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { announce, remove: forget, progress, promote, removeEmbeddings, state } = breachesOf('models');

const mapState = (alter: (state: SearchModelsState) => Partial<SearchModelsState>) =>
  state.mapResult((state) => ({ ...state, ...alter(state) }));

const mapProgress = (alter: (progress: ModelProgress) => Partial<ModelProgress>) =>
  progress.mapResult((progress) => ({ ...progress, ...alter(progress) }));

proveStores('the memory search models', searchModelsContract, {
  'a new database has no model, and searches use none': mapState(({ serving }) => ({ serving: serving ?? 'm1' })),
  'an announced model is recorded with the times of its first and last announcement': announce.replaceWith(
    async ([modelId, now], _original, { models }) =>
      void models.set(modelId, { modelId, firstSeenAt: now, lastSeenAt: now }),
  ),
  'a clock that is behind neither moves the last announcement back nor sorts a new model before another':
    announce.replaceWith(async ([modelId, now], _original, { models }) => {
      const firstSeenAt = models.get(modelId)?.firstSeenAt ?? now;
      models.set(modelId, { modelId, firstSeenAt, lastSeenAt: now });
    }),
  'models are listed in the order in which they were first announced': mapState(({ announced }) => ({
    announced: [...announced].sort((a, b) => a.lastSeenAt - b.lastSeenAt),
  })),
  'the state has the epochs of the catalog, of embeddings and of operations': mapState(({ epochs }) => ({
    epochs: { ...epochs, embeddings: epochs.catalog },
  })),
  'progress counts the collections with a vector of the serving model, and those with one of the next as well':
    progress.mapResult((progress, _args, { collections }) => ({ ...progress, total: collections.size })),
  'a vector of the next model from an older text than the serving one does not count': mapProgress(({ total }) => ({
    done: total,
  })),
  'a collection whose job is a dead letter has failed, unless it has its vector': mapProgress(({ total, done }) => ({
    failed: total - done,
  })),
  'searches use the first model immediately': promote.replaceWith(async () => false),
  'of several promotions from the same model, only the first succeeds': promote.replaceWith(async ([, to], original) =>
    original.promote((await original.state()).serving, to),
  ),
  'searches do not switch models while a collection would be lost': promote.replaceWith(
    async ([from, to], _original, database) => {
      if (database.searchModel !== from) return false;
      database.searchModel = to;
      return true;
    },
  ),
  'a collection without a vector, or with a dead letter, does not block a switch': promote.replaceWith(
    async ([from, to], original) => {
      const { total, done } = await original.progress(from ?? '', to);
      return done === total && original.promote(from, to);
    },
  ),
  'embeddings of a model are removed up to the limit, and those of other models stay': removeEmbeddings.runAfter(
    ({ embeddings }, [, limit], removed) => removed < limit && embeddings.clear(),
  ),
  'no embedding of the serving model is removed': removeEmbeddings.replaceWith(
    async (_args, _original, { embeddings }) => {
      embeddings.clear();
      return 1;
    },
  ),
  'a model is removed unless it was announced since, is serving, or has embeddings': forget.replaceWith(
    async ([{ modelId }], _original, { models }) => void models.delete(modelId),
  ),
});
