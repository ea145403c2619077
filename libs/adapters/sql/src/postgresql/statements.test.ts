import { expect, test } from 'vitest';
import { Statements } from './statements.ts';

test('a statement has the same unique name in every process, regardless of the order of statements', () => {
  const [a, b] = [new Statements(), new Statements()];
  const [byId, byUid] = ['select 1 where id = ?', 'select 1 where uid = ?'];
  const inA = [a.of(byId), a.of(byUid)].map(({ name }) => name);
  const inB = [b.of(byUid), b.of(byId)].map(({ name }) => name);
  expect(inB.toReversed()).toEqual(inA);
  expect(new Set(inA).size).toBe(2);
});

test('a name is short enough for PostgreSQL not to truncate it', () => {
  expect(Buffer.byteLength(new Statements().of('select 1').name)).toBeLessThan(64);
});
