import { searchModelsContract } from '@portico/contracts';
import type { ModelProgress, SearchModelsState } from '@portico/domain';
import { breachesOf } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { announce, forget, progress, promote, removeEmbeddings, state } = breachesOf('models');

const inState = (alter: (state: SearchModelsState) => Partial<SearchModelsState>) =>
  state.returning((state) => ({ ...state, ...alter(state) }));

const inProgress = (alter: (progress: ModelProgress) => Partial<ModelProgress>) =>
  progress.returning((progress) => ({ ...progress, ...alter(progress) }));

proveStores('the memory search models', searchModelsContract, {
  'a new database has no model, and searches use none': inState(({ serving }) => ({ serving: serving ?? 'm1' })),
  'an announced model is recorded with when it was first and last announced': announce.instead(
    async ([modelId, now], _right, { models }) =>
      void models.set(modelId, { modelId, firstSeenAt: now, lastSeenAt: now }),
  ),
  'a clock that is behind neither takes the last announcement back nor puts a new model before another':
    announce.instead(async ([modelId, now], _right, { models }) => {
      const firstSeenAt = models.get(modelId)?.firstSeenAt ?? now;
      models.set(modelId, { modelId, firstSeenAt, lastSeenAt: now });
    }),
  'models are listed in the order in which they were first announced': inState(({ announced }) => ({
    announced: [...announced].sort((a, b) => a.lastSeenAt - b.lastSeenAt),
  })),
  'the state comes with the epochs of the catalog, of embeddings and of operations': inState(({ epochs }) => ({
    epochs: { ...epochs, embeddings: epochs.catalog },
  })),
  'progress counts what has a vector of the serving model, and what has one of the next as well': progress.returning(
    (progress, _asked, { collections }) => ({ ...progress, total: collections.size }),
  ),
  'a vector of the next model from an older text than the serving one does not count': inProgress(({ total }) => ({
    done: total,
  })),
  'a collection whose job is a dead letter has failed, unless it has its vector': inProgress(({ total, done }) => ({
    failed: total - done,
  })),
  'searches use the first model at once': promote.instead(async () => false),
  'of those who promote from the same model only the first does': promote.instead(async ([, to], right) =>
    right.promote((await right.state()).serving, to),
  ),
  'searches do not change while a collection would be lost': promote.instead(async ([from, to], _right, database) => {
    if (database.searchModel !== from) return false;
    database.searchModel = to;
    return true;
  }),
  'a collection without a vector, or with a dead letter, does not hold up a change': promote.instead(
    async ([from, to], right) => {
      const { total, done } = await right.progress(from ?? '', to);
      return done === total && right.promote(from, to);
    },
  ),
  'embeddings of a model are removed up to the limit, and those of other models stay': removeEmbeddings.followed(
    ({ embeddings }, [, limit], removed) => removed < limit && embeddings.clear(),
  ),
  'no embedding of the serving model is removed': removeEmbeddings.instead(async (_asked, _right, { embeddings }) => {
    embeddings.clear();
    return 1;
  }),
  'a model is forgotten unless it was announced since, is serving, or has embeddings': forget.instead(
    async ([{ modelId }], _right, { models }) => void models.delete(modelId),
  ),
});
