import {
  packOperations,
  type EmbeddingChange,
  type HybridVector,
  type OperationBlockChange,
  type OperationKey,
} from '@portico/domain';
import { createEmbeddedOperationIndex, createEmbeddedVectorIndex } from '@portico/vectors';
import { createWordVectorEmbedder } from '@portico/word-vectors';
import { createSeededRandom } from '../seeded-random.ts';
import { idAt, listIdsAfter } from '../numbered-collections.ts';
import { reportFigures, type Figure } from './report.ts';
import { medianOf } from './statistics.ts';
import { createTexts } from './words.ts';

/**
 * `npm run bench:search`: times sequential searches in process, with everything visible. Collections have the built-in
 * embedder's vectors for random texts, and searches return the best ten. Operations have random vectors of 256
 * dimensions and 30 words, whose frequencies are like those of real words, and searches return the best 50.
 */
const modelId = 'm';
const random = createSeededRandom(1);

/** Returns the median time of a search in milliseconds, once V8 has compiled the code. */
const measureMedianMs = async <Query>(
  queries: readonly Query[],
  search: (query: Query) => Promise<unknown>,
): Promise<number> => {
  for (const query of queries) await search(query);
  const times: number[] = [];
  for (const query of queries) {
    const startedAt = performance.now();
    await search(query);
    times.push(performance.now() - startedAt);
  }
  return medianOf(times);
};

const searchCollections = async (count: number, budgetMs: number): Promise<Figure> => {
  const [embedder, text] = [createWordVectorEmbedder(), createTexts(1)];
  const changes: EmbeddingChange[] = [];
  while (changes.length < count) {
    const { vectors } = await embedder.embed([`${text(3)}\n${text(20)}`], 'document');
    for (const vector of vectors)
      changes.push({ collectionId: idAt(changes.length), sequence: changes.length + 1, vector });
  }
  const index = createEmbeddedVectorIndex({
    embeddings: {
      listChangedSince: async (after, _modelId, limit) => changes.slice(after, after + limit),
      listCollectionsAfter: async (after, _modelId, limit) => listIdsAfter(after, count, limit),
    },
  });
  const { vectors } = await embedder.embed(
    Array.from({ length: 200 }, () => text(4)),
    'query',
  );
  const collectionIds = changes.map(({ collectionId }) => collectionId);
  const ms = await measureMedianMs(vectors, (vector) =>
    index.search({ modelId, vector, candidateIds: collectionIds, limit: 10, asOf: count }),
  );
  return { name: `${count} collections`, ms, budgetMs };
};

const createHybridVector = (features: number): HybridVector => {
  // A few words occur in most texts, so ranks are distributed exponentially.
  const ranks = Array.from({ length: features }, () => Math.floor(20_000 ** random.nextFraction()));
  const indices = Uint32Array.from(new Set(ranks), (rank) => Math.imul(rank, 2_654_435_761) >>> 0).sort();
  return {
    dense: Float32Array.from({ length: 256 }, () => random.nextFraction() - 0.5),
    sparse: { indices, weights: Float32Array.from(indices, random.nextFraction) },
  };
};

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;
const operationsPerBlock = 170;

const searchOperations = async (count: number, budgetMs: number): Promise<Figure> => {
  const blocks = Array.from(
    { length: Math.ceil(count / operationsPerBlock) },
    (_, blockIndex): OperationBlockChange => {
      const operations = Array.from({ length: operationsPerBlock }, (_each, number) => ({
        key: random
          .nextIntegerBelow(2 ** 50)
          .toString(32)
          .padStart(16, 'a') as OperationKey,
        method: methods[number % methods.length] ?? 'GET',
        vector: createHybridVector(30),
      }));
      const packed = packOperations(operations);
      const source = { documentDigest: '', contentRevision: 1, operations: operationsPerBlock };
      return { collectionId: idAt(blockIndex), modelId, sequence: blockIndex + 1, ...source, packed };
    },
  );
  const index = createEmbeddedOperationIndex({
    blocks: {
      listChangedSince: async (after, _modelId, limit) => blocks.slice(after, after + limit),
      listCollectionsAfter: async (after, _modelId, limit) => listIdsAfter(after, blocks.length, limit),
    },
  });
  const collectionIds = blocks.map(({ collectionId }) => collectionId);
  const queries = Array.from({ length: 200 }, () => createHybridVector(12));
  const asOf = blocks.length;
  const ms = await measureMedianMs(queries, (vector) =>
    index.search({ modelId, vector, candidateIds: collectionIds, method: null, limit: 50, asOf }),
  );
  return { name: `${count} operations`, ms, budgetMs };
};

reportFigures('search in process, p50', [
  await searchCollections(10_000, 1),
  await searchCollections(100_000, 10),
  await searchOperations(17_000, 8),
  await searchOperations(100_000, 15),
]);
