import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  operationScore,
  operationScoreMin,
  similarityOf,
  type HybridVector,
  type OperationTexts,
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

const embed = async (some: readonly OperationTexts[]) => {
  const embedded: HybridVector[] = [];
  for await (const { vectors } of operationEmbedder.embedOperations(shop, [some], async () => {}))
    embedded.push(...vectors);
  return embedded;
};
const ask = async (question: string) => (await operationEmbedder.embedQuestion(question)).vector;

const found = async (question: string) => {
  const [vectors, asked] = [await embed(operations), await ask(question)];
  const scores = vectors.map((vector) => operationScore(similarityOf(vector, asked)));
  const best = Math.max(...scores);
  return best < operationScoreMin ? undefined : operations[scores.indexOf(best)]?.summary;
};

test.each([
  ['give a shopper their money back', 'Refund a payment'],
  ['show me all orders', 'List orders'],
  ['make a new order', 'Create an order'],
  ['cancle my ordr', 'Cancel an order'],
])('%j finds %j', async (question, summary) => {
  expect(await found(question)).toBe(summary);
});

test.each(['qwrtzpsdf', '....', '雨が降る'])('nothing is found for %j', async (question) => {
  expect(await found(question)).toBeUndefined();
});

test('an operation has the same vector whatever is embedded with it', async () => {
  const [, together] = await embed(operations);
  const [alone] = await embed(operations.slice(1, 2));
  expect(together).toEqual(alone);
  expect(await embed([])).toEqual([]);
});

test('the id of its model names its own rules and the table', async () => {
  const [own, of] = [await operationEmbedder.modelId(), await embedder.modelId()];
  expect(own).toMatch(/^portico-operations-1-[0-9a-f]{8}$/);
  expect(own.slice(-8)).toBe(of.slice(-8));
});

test('vectors stay what they are as long as the id of the model does', async () => {
  const vectors = await embed(operations);
  const all = [...vectors, await ask("Shop's orders: delete the third one")];
  const hash = createHash('sha256');
  for (const { dense, sparse } of all) {
    hash.update(dense.map((x) => Math.round(x * 1e4)).join()).update(sparse.indices.join());
    hash.update(sparse.weights.map((x) => Math.round(x * 1e4)).join());
  }
  expect(hash.digest('hex').slice(0, 16)).toBe('c95eca25b8361612');
});

test('others have their turn while many operations are embedded', async () => {
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    while (!isDone) {
      await setImmediate();
      turns += 1;
    }
  })();
  await embed(
    Array.from({ length: 3_000 }, (_, i) => operation('GET', `/things/${i}/parts${i}`, `Get the part ${i} of a thing`)),
  );
  isDone = true;
  await others;
  expect(turns).toBeGreaterThan(3);
});
