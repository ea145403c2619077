import { expect, test } from 'vitest';
import { operationFeaturesOf, queryFeaturesOf, rankingWeights, similarityOf, type Feature } from './ranking.ts';

const operation = { method: 'DELETE', path: '/webhooks/{id}', deprecated: false };

/** Returns the contribution of the matching features to the similarity. */
const computeAgreement = (query: string, target: typeof operation, baseUrl = '/'): number => {
  const weights = new Map(queryFeaturesOf(query).map(({ name, weight }: Feature) => [name, weight]));
  return operationFeaturesOf(target, baseUrl).reduce(
    (sum, { name, weight }) => sum + weight * (weights.get(name) ?? 0),
    0,
  );
};

test('an operation whose method matches the verb of the query ranks higher', () => {
  const otherAgreement = computeAgreement('delete a webhook', { ...operation, method: 'GET' });
  expect(computeAgreement('delete a webhook', operation) - otherAgreement).toBeCloseTo(rankingWeights.method, 6);
});

test('a query that names the provider, as one word, two words or a possessive, is more similar', () => {
  const computeSimilarity = (query: string) => computeAgreement(query, operation, 'https://api.digitalocean.com/v2');
  for (const query of ['DigitalOcean: webhooks', 'digital ocean webhooks', "DigitalOcean's webhooks"]) {
    expect(computeSimilarity(query) - computeSimilarity('webhooks')).toBeCloseTo(rankingWeights.provider, 6);
  }
  expect(computeSimilarity('the ocean is digital')).toBeCloseTo(computeSimilarity('webhooks'), 6);
});

test('each word of a path lowers its rank, up to sixteen words', () => {
  const agreementFor = (path: string) => computeAgreement('x', { ...operation, path });
  expect(agreementFor('/a')).toBeCloseTo(rankingWeights.pathWord, 6);
  expect(agreementFor('/v1/paymentLinks/{id}/pay') - agreementFor('/a')).toBeCloseTo(4 * rankingWeights.pathWord, 6);
  expect(agreementFor('/a'.repeat(16))).toBeCloseTo(16 * rankingWeights.pathWord, 6);
  expect(agreementFor('/a'.repeat(17))).toBe(agreementFor('/a'.repeat(16)));
  expect(agreementFor('/')).toBeCloseTo(0, 6);
});

test('a path that ends in a parameter ranks lower than one that does not', () => {
  const agreementFor = (path: string) => computeAgreement('x', { ...operation, path });
  for (const path of ['/a/{b}', '/a/{b}/'])
    expect(agreementFor(path) - agreementFor('/a/b')).toBeCloseTo(rankingWeights.singleItem, 6);
  expect(agreementFor('/a.{format}')).toBeCloseTo(agreementFor('/a/b'), 6);
  expect(agreementFor('/{a}/b')).toBeCloseTo(agreementFor('/a/b'), 6);
});

test('a deprecated operation ranks lower than an otherwise equal one', () => {
  expect(computeAgreement('x', { ...operation, deprecated: true })).toBeLessThan(computeAgreement('x', operation));
});

test('features are not named like words', () => {
  for (const { name } of [
    ...operationFeaturesOf(operation, 'https://api.x-y.com'),
    ...queryFeaturesOf('every method'),
  ]) {
    expect(name).toContain(':');
  }
});

test('the similarity is the sum of the products of the dense and of the sparse vectors', () => {
  const vectorA = {
    dense: Float32Array.of(1, 2),
    sparse: { indices: Uint32Array.of(1, 5, 9), weights: Float32Array.of(1, 2, 3) },
  };
  const vectorB = {
    dense: Float32Array.of(3, 4),
    sparse: { indices: Uint32Array.of(5, 7, 9), weights: Float32Array.of(10, 1, 100) },
  };
  expect(similarityOf(vectorA, vectorB)).toBe(11 + 20 + 300);
  expect(similarityOf(vectorB, vectorA)).toBe(11 + 20 + 300);
});
