import { type Client, TypeOverrides } from 'pg';
import { batchBytes, batchRows, toInteger, type MovedRow, type RowReader } from '../move/move.ts';
import type { MovedTable } from '../move/moved-tables.ts';
import { countRows, selectRows, selectSizes } from '../move/statements.ts';

/** Returns a reader on a connection whose transaction has a consistent snapshot. */
export const createPostgresqlRows = (client: Client): RowReader => {
  const fetch = async (cursor: string, count: number): Promise<MovedRow[]> =>
    (await client.query({ text: `fetch forward ${count} from ${cursor}`, rowMode: 'array', types })).rows as MovedRow[];

  /**
   * Yields the number of rows of each batch, computed from the sizes of their bytes, which are known without reading
   * the bytes.
   */
  const readBatchSizes = async function* (table: MovedTable): AsyncGenerator<number> {
    const sizes = selectSizes(table);
    if (sizes === null) {
      for (;;) yield batchRows;
    }
    await client.query(`declare move_sizes no scroll cursor for ${sizes}`);
    let [rows, bytes] = [0, 0];
    for (
      let sizeRows = await fetch('move_sizes', batchRows);
      sizeRows.length > 0;
      sizeRows = await fetch('move_sizes', batchRows)
    ) {
      for (const [size] of sizeRows) {
        if (rows === batchRows || (rows > 0 && bytes + Number(size) > batchBytes)) {
          yield rows;
          [rows, bytes] = [0, 0];
        }
        rows += 1;
        bytes += Number(size);
      }
    }
    await client.query('close move_sizes');
    yield rows + 1;
  };

  return {
    async count(table) {
      const { rows } = await client.query<{ readonly count: string }>(countRows(table));
      return Number(rows[0]?.count);
    },

    async *readBatches(table) {
      await client.query(`declare move_rows no scroll cursor for ${selectRows(table)}`);
      for await (const count of readBatchSizes(table)) {
        const rows = await fetch('move_rows', count);
        if (rows.length === 0) break;
        yield rows;
      }
      await client.query('close move_rows');
    },

    async readLastId(table) {
      const sequence = await sequenceOf(client, table);
      if (sequence === null) return 0;
      const { rows } = await client.query<{ readonly last: string }>(
        `select case when is_called then last_value else last_value - 1 end as last from ${sequence}`,
      );
      return Number(rows[0]?.last);
    },
  };
};

/** Returns the quoted name of the sequence of the table's identity column, or null if there is none. */
export const sequenceOf = async (client: Client, { name, identity }: MovedTable): Promise<string | null> => {
  if (identity === null) return null;
  const { rows } = await client.query<{ readonly sequence: string | null }>(
    'select pg_get_serial_sequence($1, $2) as sequence',
    [name, identity],
  );
  return rows[0]?.sequence ?? null;
};

const int8 = 20;
const types = new TypeOverrides();
types.setTypeParser(int8, (text) => toInteger(BigInt(text)));
