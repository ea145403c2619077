import { createEmbeddingChanges, recordLog, createVectorTowards } from '@portico/contracts';
import type { EmbeddingChanges, RecordedLog } from '@portico/contracts';
import type { CollectionId, VectorIndex, VectorMatch, VectorQuery } from '@portico/domain';
import { expect } from 'vitest';
import { connect, type Limits } from '../src/connect.ts';
import { aliasOf } from '../src/generations.ts';
import { createQdrantVectorIndex, type QdrantVectorIndex } from '../src/qdrant-vector-index.ts';
import { createExactIndex } from './exact-index.ts';
import { serverLimits } from './server-limits.ts';

export interface Subject {
  readonly index: QdrantVectorIndex;
  readonly embeddings: EmbeddingChanges;
  /** The reference index, which compares a query with every vector in the database. */
  readonly referenceIndex: VectorIndex;
  readonly log: RecordedLog;
  close(): Promise<void>;
}

export const createSubject = (options: {
  readonly url: string;
  readonly installation: string;
  readonly apiKey?: string | null;
  /** A database shared with another subject. */
  readonly embeddings?: EmbeddingChanges;
  readonly limits?: Partial<Limits>;
}): Subject => {
  const embeddings = options.embeddings ?? createEmbeddingChanges();
  const log = recordLog();
  const referenceIndex = createExactIndex({ embeddings });
  const index = createQdrantVectorIndex({
    url: options.url,
    apiKey: options.apiKey ?? null,
    embeddings,
    fallback: referenceIndex,
    log,
    installation: options.installation,
    limits: options.limits ?? {},
  });
  return { index, embeddings, referenceIndex, log, close: () => index.close() };
};

export const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as CollectionId;

/** Returns vectors of numbers between -0.5 and 0.5, the same in each run (a linear congruential generator). */
export const randomVectors = (seed: number) => () =>
  Float32Array.from({ length: 768 }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  });

export const queryOf = (overrides: Partial<VectorQuery> & Pick<VectorQuery, 'candidateIds' | 'asOf'>): VectorQuery => ({
  modelId: 'm',
  vector: createVectorTowards(1),
  limit: 10,
  ...overrides,
});

/** Checks that both have the same collections, best first, with scores that differ by less than a response displays. */
export const expectSameMatches = (actual: readonly VectorMatch[], expected: readonly VectorMatch[]): void => {
  const scores = new Map(expected.map(({ collectionId, score }) => [collectionId, score]));
  expect(new Set(actual.map(({ collectionId }) => collectionId))).toEqual(new Set(scores.keys()));
  expect(actual).toHaveLength(expected.length);
  actual.forEach(({ collectionId, score }, i) => {
    expect(Math.abs(score - (scores.get(collectionId) ?? Number.NaN))).toBeLessThan(1e-6);
    expect(score).toBeLessThanOrEqual(actual[i - 1]?.score ?? 1);
  });
};

/** Returns an installation's collections for the model `m`, and the target of the model's alias. */
export const collectionsOf = async (url: string, installation: string, apiKey: string | null = null) => {
  const alias = aliasOf(installation, 'm');
  const client = connect(url, apiKey, serverLimits.bulkMs);
  const { collections } = await client.getCollections();
  const { aliases } = await client.getAliases();
  return {
    client,
    names: collections.map((collection) => collection.name).filter((collection) => collection.startsWith(`${alias}-g`)),
    current: aliases.find(({ alias_name }) => alias_name === alias)?.collection_name ?? null,
  };
};
