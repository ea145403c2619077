import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { EmbeddingChange } from '@portico/domain';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import { idAt, idsAfter, numberOf } from '../numbered-collections.ts';

/** A way of finding the nearest rows: numbers of rows, the best first. */
export interface SearchWay {
  readonly name: string;
  readonly search: (query: Float32Array) => Promise<readonly number[]>;
}

/** Ways that search among these rows only. */
export type WaysAmong = (visible: readonly number[]) => readonly SearchWay[];

export const limit = 10;
const modelId = 'm';

/** The index of the service, as one of its processes holds it. */
export const openPortico = (rows: readonly Float32Array[]): WaysAmong => {
  const changes = rows.map((vector, row): EmbeddingChange => ({ sequence: row + 1, collectionId: idAt(row), vector }));
  const index = createEmbeddedVectorIndex({
    embeddings: {
      changedSince: async (after, _modelId, count) => changes.slice(after, after + count),
      collectionsAfter: async (after, _modelId, count) => idsAfter(after, rows.length, count),
    },
  });
  return (visible) => {
    const among = visible.map(idAt);
    return [
      {
        name: 'Portico',
        search: async (vector) => {
          const { matches } = await index.search({ modelId, vector, among, limit, asOf: rows.length });
          return matches.map(({ collectionId }) => numberOf(collectionId));
        },
      },
    ];
  };
};

interface Database {
  readonly exec: (sql: string) => void;
  readonly pragma: (sql: string) => void;
  readonly prepare: (sql: string) => Statement;
  readonly transaction: (work: () => void) => () => void;
  readonly close: () => void;
}

interface Statement {
  readonly run: (...values: unknown[]) => void;
  readonly all: (...values: unknown[]) => unknown[];
}

/** How many rows are taken by their bits, and then ranked by the vectors themselves. */
const [fewCandidates, manyCandidates] = [100, 400];

/**
 * sqlite-vec over an SQLite in memory. It has the vectors once in a `vec0` table, with their bits beside them, and once
 * in a table of SQLite, which its functions read; what may be seen is a table too, as grants are. Distances are
 * Euclidean: of vectors of length 1 the order is that of cosine similarity, and it takes less.
 */
export const openSqliteVec = (installed: string, rows: readonly Float32Array[]) => {
  const load = createRequire(join(installed, 'package.json'));
  const SqliteDatabase = load('better-sqlite3') as new (file: string) => Database;
  const database = new SqliteDatabase(':memory:');
  // The largest page: a block of vectors is on few of them.
  database.pragma('page_size = 65536');
  (load('sqlite-vec') as { readonly load: (database: Database) => void }).load(database);
  database.exec(`
    CREATE VIRTUAL TABLE indexed USING vec0(embedding float[768], bits bit[768]);
    CREATE TABLE plain (id INTEGER PRIMARY KEY, embedding BLOB, bits BLOB);
    CREATE TABLE granted (caller INTEGER, id INTEGER, PRIMARY KEY (caller, id)) WITHOUT ROWID;`);
  const index = database.prepare('INSERT INTO indexed (rowid, embedding, bits) VALUES (?, ?, vec_quantize_binary(?))');
  const insert = database.prepare('INSERT INTO plain VALUES (?, ?, vec_quantize_binary(?))');
  database.transaction(() => {
    for (const [row, vector] of rows.entries()) {
      index.run(BigInt(row), bytesOf(vector), bytesOf(vector));
      insert.run(row, bytesOf(vector), bytesOf(vector));
    }
  })();
  let callers = 0;
  const among: WaysAmong = (visible) => {
    const caller = (callers += 1);
    const isAll = visible.length === rows.length;
    const grant = database.prepare('INSERT INTO granted VALUES (?, ?)');
    if (!isAll)
      database.transaction(() => {
        for (const row of visible) grant.run(caller, row);
      })();
    return waysOf(database, isAll ? null : caller);
  };
  return { among, close: () => database.close() };
};

const waysOf = (database: Database, caller: number | null): readonly SearchWay[] => {
  const way = (name: string, sql: string): SearchWay => {
    const statement = database.prepare(sql);
    return {
      name: `sqlite-vec, ${name}`,
      search: async (query) =>
        (statement.all({ query: bytesOf(query) }) as readonly { readonly id: number }[]).map(({ id }) => id),
    };
  };
  const filter = caller === null ? '' : `AND rowid IN (SELECT id FROM granted WHERE caller = ${caller})`;
  const visible = caller === null ? 'plain' : `(SELECT * FROM granted JOIN plain USING (id) WHERE caller = ${caller})`;
  const ranked = (candidates: string) => `
    WITH candidates AS MATERIALIZED (${candidates})
    SELECT id FROM candidates JOIN plain USING (id) ORDER BY vec_distance_l2(embedding, :query) LIMIT ${limit}`;
  const byBits = (count: number) =>
    `SELECT rowid AS id FROM indexed WHERE bits MATCH vec_quantize_binary(:query) AND k = ${count} ${filter}`;
  return [
    way(
      'vec0',
      `SELECT rowid AS id FROM indexed WHERE embedding MATCH :query AND k = ${limit} ${filter} ORDER BY distance`,
    ),
    way(`vec0 by bits, ${fewCandidates} ranked again`, ranked(byBits(fewCandidates))),
    way(`vec0 by bits, ${manyCandidates} ranked again`, ranked(byBits(manyCandidates))),
    way('its function', `SELECT id FROM ${visible} ORDER BY vec_distance_l2(embedding, :query) LIMIT ${limit}`),
    way(
      `its function by bits, ${manyCandidates} ranked again`,
      ranked(
        `SELECT id FROM ${visible} ORDER BY vec_distance_hamming(vec_bit(bits), vec_quantize_binary(:query)) LIMIT ${manyCandidates}`,
      ),
    ),
  ];
};

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
