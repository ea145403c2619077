import { expect, test } from 'vitest';
import { operationFeatures, queryFeatures, rankingWeights, similarityOf, type Feature } from './ranking.ts';

const operation = { method: 'DELETE', path: '/webhooks/{id}', deprecated: false };

/** Returns the contribution of the matching features to the similarity. */
const agreement = (query: string, target: typeof operation, baseUrl = '/'): number => {
  const weights = new Map(queryFeatures(query).map(({ name, weight }: Feature) => [name, weight]));
  return operationFeatures(target, baseUrl).reduce(
    (sum, { name, weight }) => sum + weight * (weights.get(name) ?? 0),
    0,
  );
};

test('a method that matches the verb of a query ranks higher than another', () => {
  const other = agreement('delete a webhook', { ...operation, method: 'GET' });
  expect(agreement('delete a webhook', operation) - other).toBeCloseTo(rankingWeights.method, 6);
});

test('a query that names the provider is more similar, in one word, in two, or as a possessive', () => {
  const similarity = (query: string) => agreement(query, operation, 'https://api.digitalocean.com/v2');
  for (const query of ['DigitalOcean: webhooks', 'digital ocean webhooks', "DigitalOcean's webhooks"]) {
    expect(similarity(query) - similarity('webhooks')).toBeCloseTo(rankingWeights.provider, 6);
  }
  expect(similarity('the ocean is digital')).toBeCloseTo(similarity('webhooks'), 6);
});

test('each word of a path lowers its rank, up to sixteen', () => {
  const of = (path: string) => agreement('x', { ...operation, path });
  expect(of('/a')).toBeCloseTo(rankingWeights.pathWord, 6);
  expect(of('/v1/paymentLinks/{id}/pay') - of('/a')).toBeCloseTo(4 * rankingWeights.pathWord, 6);
  expect(of('/a'.repeat(16))).toBeCloseTo(16 * rankingWeights.pathWord, 6);
  expect(of('/a'.repeat(17))).toBe(of('/a'.repeat(16)));
  expect(of('/')).toBeCloseTo(0, 6);
});

test('a path that ends in a parameter ranks lower than one that does not', () => {
  const of = (path: string) => agreement('x', { ...operation, path });
  for (const path of ['/a/{b}', '/a/{b}/']) expect(of(path) - of('/a/b')).toBeCloseTo(rankingWeights.singleItem, 6);
  expect(of('/a.{format}')).toBeCloseTo(of('/a/b'), 6);
  expect(of('/{a}/b')).toBeCloseTo(of('/a/b'), 6);
});

test('a deprecated operation ranks lower than an equal one', () => {
  expect(agreement('x', { ...operation, deprecated: true })).toBeLessThan(agreement('x', operation));
});

test('no feature has the name of a word', () => {
  for (const { name } of [...operationFeatures(operation, 'https://api.x-y.com'), ...queryFeatures('every method')]) {
    expect(name).toContain(':');
  }
});

test('the similarity is the sum of the products of the dense and of the sparse vectors', () => {
  const one = {
    dense: Float32Array.of(1, 2),
    sparse: { indices: Uint32Array.of(1, 5, 9), weights: Float32Array.of(1, 2, 3) },
  };
  const two = {
    dense: Float32Array.of(3, 4),
    sparse: { indices: Uint32Array.of(5, 7, 9), weights: Float32Array.of(10, 1, 100) },
  };
  expect(similarityOf(one, two)).toBe(11 + 20 + 300);
  expect(similarityOf(two, one)).toBe(11 + 20 + 300);
});
