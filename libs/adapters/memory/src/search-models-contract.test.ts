import { searchModelsContract, type Sabotages, type Stores } from '@portico/contracts';
import type { ModelProgress, SearchModelsState } from '@portico/domain';
import { describe } from 'vitest';
import { breaking } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryStores } from './memory-stores.ts';

const inState = (alter: (state: SearchModelsState) => Partial<SearchModelsState>) =>
  breaking('models', (right) => ({
    state: async () => {
      const state = await right.state();
      return { ...state, ...alter(state) };
    },
  }));

const inProgress = (alter: (progress: ModelProgress) => Partial<ModelProgress>) =>
  breaking('models', (right) => ({
    progress: async (from, to) => {
      const progress = await right.progress(from, to);
      return { ...progress, ...alter(progress) };
    },
  }));

/** Changes what searches use, whatever would be lost. */
const promotingAlways = breaking('models', (_right, _stores, database) => ({
  promote: async (from, to) => {
    if (database.searchModel !== from) return false;
    database.searchModel = to;
    return true;
  },
}));

const sabotages: Sabotages<typeof searchModelsContract, Stores> = {
  'a new database has no model, and searches use none': inState(({ serving }) => ({ serving: serving ?? 'm1' })),
  'an announced model is recorded with when it was first and last announced': breaking(
    'models',
    (_right, _stores, { models }) => ({
      announce: async (modelId, now) => void models.set(modelId, { modelId, firstSeenAt: now, lastSeenAt: now }),
    }),
  ),
  'a clock that is behind neither takes the last announcement back nor puts a new model before another': breaking(
    'models',
    (_right, _stores, { models }) => ({
      announce: async (modelId, now) => {
        const firstSeenAt = models.get(modelId)?.firstSeenAt ?? now;
        models.set(modelId, { modelId, firstSeenAt, lastSeenAt: now });
      },
    }),
  ),
  'models are listed in the order in which they were first announced': inState(({ announced }) => ({
    announced: [...announced].sort((a, b) => a.lastSeenAt - b.lastSeenAt),
  })),
  'the state comes with the epochs of the catalog, of embeddings and of operations': inState(({ epochs }) => ({
    epochs: { ...epochs, embeddings: epochs.catalog },
  })),
  'progress counts what has a vector of the serving model, and what has one of the next as well': breaking(
    'models',
    (right, _stores, { collections }) => ({
      progress: async (from, to) => ({ ...(await right.progress(from, to)), total: collections.size }),
    }),
  ),
  'a vector of the next model from an older text than the serving one does not count': inProgress(({ total }) => ({
    done: total,
  })),
  'a collection whose job is a dead letter has failed, unless it has its vector': inProgress(({ total, done }) => ({
    failed: total - done,
  })),
  'searches use the first model at once': breaking('models', () => ({ promote: async () => false })),
  'of those who promote from the same model only the first does': breaking('models', (right) => ({
    promote: async (_from, to) => right.promote((await right.state()).serving, to),
  })),
  'searches do not change while a collection would be lost': promotingAlways,
  'a collection without a vector, or with a dead letter, does not hold up a change': breaking('models', (right) => ({
    promote: async (from, to) => {
      const { total, done } = await right.progress(from ?? '', to);
      return done === total && right.promote(from, to);
    },
  })),
  'embeddings of a model are removed up to the limit, and those of other models stay': breaking(
    'models',
    (right, _stores, { embeddings }) => ({
      removeEmbeddings: async (modelId, limit) => {
        const removed = await right.removeEmbeddings(modelId, limit);
        if (removed < limit) embeddings.clear();
        return removed;
      },
    }),
  ),
  'no embedding of the serving model is removed': breaking('models', (_right, _stores, { embeddings }) => ({
    removeEmbeddings: async () => {
      embeddings.clear();
      return 1;
    },
  })),
  'a model is forgotten unless it was announced since, is serving, or has embeddings': breaking(
    'models',
    (_right, _stores, { models }) => ({ forget: async ({ modelId }) => void models.delete(modelId) }),
  ),
};

describe('the memory search models', () => {
  proveContract(searchModelsContract, sabotages, createMemoryStores);
});
