import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  toOperationScore,
  operationScoreMin,
  similarityOf,
  type HybridVector,
  type OperationDescription,
} from '@portico/domain';
import { expect, test } from 'vitest';
import { createWordVectorEmbedders } from './word-vector-embedder.ts';

const { embedder, operationEmbedder } = createWordVectorEmbedders();

const shop = { name: 'Shop', description: 'An online shop.', baseUrl: 'https://api.shop.example' };
const operation = (method: string, path: string, summary: string) => ({
  method,
  path,
  operationId: null,
  summary,
  tags: [],
  deprecated: false,
  excerpt: '',
});
const operations = [
  operation('GET', '/orders', 'List orders'),
  operation('POST', '/orders', 'Create an order'),
  operation('DELETE', '/orders/{id}', 'Cancel an order'),
  operation('POST', '/payments/{id}/refund', 'Refund a payment'),
  operation('GET', '/payments/{id}/refund/history', 'Get the history of refunds'),
];

const embed = async (batch: readonly OperationDescription[]) => {
  const allVectors: HybridVector[] = [];
  for await (const { vectors } of operationEmbedder.embedOperations(shop, [batch], async () => {}))
    allVectors.push(...vectors);
  return allVectors;
};
const embedQuestion = async (question: string) => (await operationEmbedder.embedQuery(question)).vector;

const findBestSummary = async (question: string) => {
  const [vectors, query] = [await embed(operations), await embedQuestion(question)];
  const scores = vectors.map((vector) => toOperationScore(similarityOf(vector, query)));
  const bestScore = Math.max(...scores);
  return bestScore < operationScoreMin ? undefined : operations[scores.indexOf(bestScore)]?.summary;
};

test.each([
  ['give a shopper their money back', 'Refund a payment'],
  ['show me all orders', 'List orders'],
  ['make a new order', 'Create an order'],
  ['cancle my ordr', 'Cancel an order'],
])('%j finds %j', async (question, summary) => {
  expect(await findBestSummary(question)).toBe(summary);
});

test.each(['qwrtzpsdf', '....', '雨が降る'])('nothing is found for %j', async (question) => {
  expect(await findBestSummary(question)).toBeUndefined();
});

test('an operation has the same vector regardless of the operations that are embedded with it', async () => {
  const [, vectorInBatch] = await embed(operations);
  const [vectorAlone] = await embed(operations.slice(1, 2));
  expect(vectorInBatch).toEqual(vectorAlone);
  expect(await embed([])).toEqual([]);
});

test('the id of its model identifies its rules and the table', async () => {
  const [operationModelId, modelId] = [await operationEmbedder.getModelId(), await embedder.getModelId()];
  expect(operationModelId).toMatch(/^portico-operations-1-[0-9a-f]{8}$/);
  expect(operationModelId.slice(-8)).toBe(modelId.slice(-8));
});

test('vectors do not change unless the id of the model changes', async () => {
  const vectors = await embed(operations);
  const allVectors = [...vectors, await embedQuestion("Shop's orders: delete the third one")];
  const hash = createHash('sha256');
  for (const { dense, sparse } of allVectors) {
    hash.update(dense.map((x) => Math.round(x * 1e4)).join()).update(sparse.indices.join());
    hash.update(sparse.weights.map((x) => Math.round(x * 1e4)).join());
  }
  expect(hash.digest('hex').slice(0, 16)).toBe('c95eca25b8361612');
});

test('embedding many operations yields to the event loop', async () => {
  let ticks = 0;
  let isDone = false;
  const otherWork = (async () => {
    while (!isDone) {
      await setImmediate();
      ticks += 1;
    }
  })();
  await embed(
    Array.from({ length: 3_000 }, (_, i) => operation('GET', `/things/${i}/parts${i}`, `Get the part ${i} of a thing`)),
  );
  isDone = true;
  await otherWork;
  expect(ticks).toBeGreaterThan(3);
});
