import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CollectionId } from '../ids.ts';
import { distinguishNamesakes } from './namesakes.ts';

const ids = ['11111111-1', '22222222-2', '33333333-3', '33333333-4'] as CollectionId[];

/** Distinguishes collections, given as name and base URL. */
const distinguish = (...collections: readonly (readonly [name: string, baseUrl: string])[]) => {
  const distinctions = distinguishNamesakes(
    collections.map(([name, baseUrl], i) => ({ id: ids[i] ?? ids[0]!, name, baseUrl })),
  );
  return collections.map((_collection, i) => distinctions.get(ids[i]!) ?? null);
};

test('only collections with the name of another one, ignoring case, are distinguished', () => {
  expect(distinguish(['A', 'https://a.example'], ['B', 'https://a.example'])).toEqual([null, null]);
  expect(distinguish(['Éa', 'https://a.example'], ['B', '/'], ['e\u0301A', 'https://c.example'])).toEqual([
    'a.example',
    null,
    'c.example',
  ]);
});

test.each([
  ['the host', 'https://a.example/v1', 'https://b.example/v1', 'a.example', 'b.example'],
  ['the port', 'https://a.example', 'http://A.example:8080/', 'a.example', 'a.example:8080'],
  ['the path', 'https://a.example/v1/', 'https://a.example/v2?x=1#y', 'a.example/v1', 'a.example/v2'],
  ['the id, if the base URL is the same', 'https://a.example/v1', 'http://a.example/v1/', 'id 11111111', 'id 22222222'],
  ['the id, if a base URL is relative', '/v1', 'https://b.example', 'id 11111111', 'b.example'],
  ['the id, if both are relative', '/v1', '/v2', 'id 11111111', 'id 22222222'],
  ['no user', 'https://ada:secret@a.example', '//b.example', 'a.example', 'b.example'],
  ['the id, if the base URL is long', `https://${'a'.repeat(81)}`, 'x://b', 'id 11111111', 'b'],
])('they are distinguished by %s', (_criterion, one, other, distinctionOfOne, distinctionOfOther) => {
  expect(distinguish(['A', one], ['a', other])).toEqual([distinctionOfOne, distinctionOfOther]);
});

test('among several, each has the first text that is its own', () => {
  const one = ['A', 'https://a.example'] as const;
  expect(distinguish(one, ['A', 'https://b.example/v1'], ['A', 'https://b.example/v2'])).toEqual([
    'a.example',
    'b.example/v1',
    'b.example/v2',
  ]);
  expect(distinguish(one, one, one, one)).toEqual(['id 11111111-1', 'id 22222222-2', 'id 33333333-3', 'id 33333333-4']);
});

test('all namesakes are distinguished, and no two of them by the same text', () => {
  const collection = fc.record({
    id: fc.uuid().map((id) => id as CollectionId),
    name: fc.constantFrom('A', 'a', 'B'),
    baseUrl: fc.constantFrom('/', '', 'https://a/', 'https://a/b', 'https://c', 'https://c:1/b', 'https://u@c:1/b'),
  });
  fc.assert(
    fc.property(fc.uniqueArray(collection, { selector: ({ id }) => id }), (collections) => {
      const distinctions = distinguishNamesakes(collections);
      for (const namesakes of Map.groupBy(collections, ({ name }) => name.toLowerCase()).values()) {
        const texts = namesakes.map(({ id }) => distinctions.get(id));
        if (namesakes.length === 1) expect(texts).toEqual([undefined]);
        else expect(new Set(texts.filter((text) => text)).size).toBe(namesakes.length);
      }
    }),
  );
});
