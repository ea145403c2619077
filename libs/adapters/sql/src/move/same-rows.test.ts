import { expect, test } from 'vitest';
import type { MovedRow, RowReader } from './move.ts';
import type { MovedTable } from './moved-tables.ts';
import { assertSameRows } from './same-rows.ts';

const table: MovedTable = {
  name: 'things',
  columns: [
    { name: 'owner', kind: 'plain' },
    { name: 'seq', kind: 'plain' },
    { name: 'value', kind: 'plain' },
  ],
  key: ['owner', 'seq'],
  identity: 'seq',
};

const createReader = (rows: readonly MovedRow[], lastId = 9, batch = 1): RowReader => ({
  count: async () => rows.length,
  async *readBatches() {
    for (let index = 0; index < rows.length; index += batch) yield rows.slice(index, index + batch);
  },
  readLastId: async () => lastId,
});

const compareRows = async (left: RowReader, right: RowReader): Promise<number> => {
  let rows = 0;
  const source = { name: 'sqlite:/old', rows: left };
  await assertSameRows(table, source, { name: 'sqlite:/new', rows: right }, () => (rows += 1));
  return rows;
};

const row = (seq: number, value: MovedRow[number] = 'x'): MovedRow => ['ann', seq, value];

test('equal rows pass, regardless of how they are batched', async () => {
  const rows = [row(1), row(2, null), row(3, new Uint8Array([1, 2])), row(4, true), row(5, 2n ** 60n), row(6, 1.5)];
  const copies = rows.map((row) => row.map((cell) => (cell instanceof Uint8Array ? Buffer.from(cell) : cell)));
  expect(await compareRows(createReader(rows), createReader(copies, 9, 4))).toBe(6);
  expect(await compareRows(createReader([]), createReader([]))).toBe(0);
});

test.each<readonly [string, MovedRow, MovedRow]>([
  ['a text', row(2, 'a'), row(2, 'b')],
  ['a byte', row(2, new Uint8Array([1, 2])), row(2, new Uint8Array([1, 3]))],
  ['the length of bytes', row(2, new Uint8Array([1, 2])), row(2, new Uint8Array([1]))],
  ['a null instead of an empty string', row(2, ''), row(2, null)],
  ['a number instead of a boolean', row(2, true), row(2, 1)],
  ['a large integer', row(2, 2n ** 60n), row(2, 2n ** 60n + 1n)],
  ['a key', row(2), row(4)],
])('%s that differs is reported, with table and key', async (_difference, left, right) => {
  await expect(compareRows(createReader([row(1), left]), createReader([row(1), right]))).rejects.toThrow(
    'the row of things with owner "ann", seq "2" differs between sqlite:/old and sqlite:/new',
  );
});

test('a missing or extra row is reported with its key', async () => {
  const [fewerRows, moreRows] = [createReader([row(1)]), createReader([row(1), row(2)])];
  for (const [left, right] of [
    [fewerRows, moreRows],
    [moreRows, fewerRows],
  ] as const) {
    await expect(compareRows(left, right)).rejects.toThrow('the row of things with owner "ann", seq "2"');
  }
});

test('a different next id is reported', async () => {
  await expect(compareRows(createReader([row(1)], 5), createReader([row(1)], 4))).rejects.toThrow(
    'the next seq of things',
  );
});
