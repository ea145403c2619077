import { expect, test } from 'vitest';
import { Statements } from './statements.ts';

test('a statement has the same unique name in every process, regardless of the order of statements', () => {
  const [a, b] = [new Statements(), new Statements()];
  const [byId, byUid] = ['select 1 where id = ?', 'select 1 where uid = ?'];
  const namesInA = [a.get(byId), a.get(byUid)].map(({ name }) => name);
  const namesInB = [b.get(byUid), b.get(byId)].map(({ name }) => name);
  expect(namesInB.toReversed()).toEqual(namesInA);
  expect(new Set(namesInA).size).toBe(2);
});

test('a name is short enough for PostgreSQL not to truncate it', () => {
  expect(Buffer.byteLength(new Statements().get('select 1').name)).toBeLessThan(64);
});
