import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { UnchangedParts } from './unchanged-parts.ts';

const refer = (name: string): Json => ({ $ref: `#/s/${name}` });
const before: Json = {
  s: { a: { b: refer('b') }, b: { list: [refer('c'), refer('a')] }, c: { x: 1 }, d: { c: refer('c') }, e: {} },
};

test.each<[string, Json, Json, Json, boolean]>([
  ['the same text', {}, refer('a'), refer('a'), true],
  ['another order of members', {}, { x: 1, y: 2 }, { y: 2, x: 1 }, true],
  ['another order of items', {}, [1, 2], [2, 1], false],
  ['a target that changes', { c: { x: 2 } }, refer('c'), refer('c'), false],
  ['a target of a target that changes', { c: { x: 2 } }, refer('d'), refer('d'), false],
  ['a circle that leads to a change', { c: { x: 2 } }, refer('a'), refer('a'), false],
  ['a circle without changes', { e: { x: 2 } }, refer('a'), refer('a'), true],
  ['a target that is missing', {}, refer('z'), refer('z'), false],
  ['a reference out of the document', {}, { $ref: 'other.json' }, { $ref: 'other.json' }, false],
])('with %s, parts are unchanged only if all that they refer to is', (_, targets, value, newValue, expected) => {
  const after = { s: { ...(before as { s: object }).s, ...(targets as object) } } as Json;
  const parts = new UnchangedParts(before, after);
  for (const name of ['e', 'd', 'a']) parts.isUnchanged(refer(name), refer(name));
  expect(parts.isUnchanged(value, newValue)).toBe(expected);
});
