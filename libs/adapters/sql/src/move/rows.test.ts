import { describe, expect, onTestFinished, test } from 'vitest';
import { createFilledDatabase, type Kind } from '../../test/movable.ts';
import { postgres } from '../../test/with-postgresql.ts';
import { openPostgresqlSource } from '../postgresql/move-source.ts';
import { openSqliteSource } from '../sqlite/move-source.ts';
import type { Cell, MoveSource } from './move.ts';
import { movedTables } from './moved-tables.ts';

const kinds: readonly Kind[] = postgres ? ['sqlite', 'postgresql'] : ['sqlite'];
const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const openFilled = async (kind: Kind): Promise<MoveSource> => {
  const config = await createFilledDatabase(kind);
  const source =
    config.kind === 'sqlite' ? await openSqliteSource(config.file) : await openPostgresqlSource(config.url, log);
  onTestFinished(() => source.close());
  return source;
};

const tableOf = (name: string) => {
  const table = movedTables.find((candidate) => candidate.name === name);
  if (!table) throw new Error(`There is no table ${name}.`);
  return table;
};

describe.each(kinds)('rows on %s', (kind) => {
  test('are read in batches of at most 500 rows and 4 MB; a larger row is read alone', async () => {
    const { rows } = await openFilled(kind);
    const lengthsOf = async (name: string) => {
      const lengths: number[] = [];
      for await (const batch of rows.readBatches(tableOf(name))) lengths.push(batch.length);
      return lengths;
    };
    expect(await lengthsOf('audit_entries')).toEqual([500, 500, 100]);
    expect(await lengthsOf('documents')).toEqual([1, 1]);
    expect(await lengthsOf('operation_blocks')).toEqual([1, 1]);
    expect(await lengthsOf('collection_embeddings')).toEqual([2]);
    expect(await lengthsOf('embeddings')).toEqual([]);
  });

  test('have values of the same types on each database', async () => {
    const { rows } = await openFilled(kind);
    const valuesOf = async (table: string, column: string) => {
      const index = tableOf(table).columns.findIndex(({ name }) => name === column);
      const values: Cell[] = [];
      for await (const batch of rows.readBatches(tableOf(table)))
        values.push(...batch.map((row) => row[index] ?? null));
      return values;
    };
    expect(await valuesOf('operations', 'deprecated')).toEqual(expect.arrayContaining([true, false]));
    expect(await valuesOf('collections', 'revision')).toContain(2n ** 53n + 1n);
    expect(await valuesOf('audit_entries', 'instant')).toContain(1_700_000_000_000.25);
    expect(await valuesOf('profiles', 'key_tag')).toContain(4_294_967_295);
    expect(await valuesOf('operations', 'operation_id')).toContain(null);
    const [document] = await valuesOf('documents', 'deflated');
    expect(document).toBeInstanceOf(Uint8Array);
    expect(document).toHaveLength(3_000_000);
  });

  test('include the last generated id, even if its row was deleted', async () => {
    const { rows } = await openFilled(kind);
    expect(await rows.readLastId(tableOf('overrides'))).toBe(4);
    expect(await rows.count(tableOf('overrides'))).toBe(3);
    expect(await rows.readLastId(tableOf('profiles'))).toBe(0);
  });
});
