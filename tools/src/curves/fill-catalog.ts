import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { nameKey } from '@portico/domain';
import { createWordVectorEmbedder } from '@portico/word-vectors';
import { createDice } from '../big-catalog/dice.ts';
import { idAt } from '../numbered-collections.ts';
import { aThing, apiDocument } from './api-document.ts';
import { type OwnClient, type OwnService, startOwnService } from './own-service.ts';

/** A catalog on SQLite in a folder of its own, which is filled while its service does not run. */
export interface OwnCatalog {
  /** In the order of their names. */
  readonly clients: readonly OwnClient[];
  /** The first collection, of which all others are copies but for name, description and vector. */
  readonly first: string;
  /** Without jobs: the copies have no vectors of operations, which jobs would begin to make. */
  readonly start: () => Promise<OwnService>;
  /** Fills it up to so many collections besides the first, whose ids are `idAt` of 0 and on. */
  readonly fill: (collections: number) => Promise<void>;
  /** Grants to a client `count` collections, every `nth`. */
  readonly grant: (client: OwnClient, nth: number, count: number) => void;
}

const documentBytes = 4_000;

export const createCatalog = async (folder: string, clientNames: readonly string[]): Promise<OwnCatalog> => {
  const dice = createDice(1);
  const { clients, first } = await setUp(folder, clientNames, apiDocument(dice, 'Weather', documentBytes));
  const file = join(folder, 'portico.sqlite');
  const embedder = createWordVectorEmbedder();
  let filled = 0;
  return {
    clients,
    first,
    start: () => startOwnService(folder, { JOBS: 'off' }),
    fill: async (collections) => {
      const names = Array.from(
        { length: collections - filled },
        (_, at) => `${aThing(dice)} ${aThing(dice)} ${filled + at}`,
      );
      const { vectors, modelId } = await embedder.embed(names.map(textOf), 'document');
      const copies = names.map((name, at) => ({ id: idAt(filled + at), name, vector: vectors[at] ?? nothing }));
      onFile(file, (database) => insertCopies(database, first, modelId, copies));
      filled = collections;
    },
    grant: ({ id }, nth, count) =>
      onFile(file, (database) => {
        const insert = database.prepare(
          'insert into grants (profile_id, collection_id, granted_at) values (?, ?, ?) on conflict do nothing',
        );
        for (let at = 0; at < count; at++) insert.run(id, idAt(at * nth), Date.now());
        database.prepare('update profiles set grants_epoch = grants_epoch + 1 where id = ?').run(id);
      }),
  };
};

/** By a service with jobs, so that the first collection is embedded and searches have a model. */
const setUp = async (folder: string, clientNames: readonly string[], document: object) => {
  const { api, admin, client, stop } = await startOwnService(folder);
  try {
    const clients: OwnClient[] = [];
    for (const name of clientNames) clients.push(await client(name));
    const input = { name: 'The weather', openapi_spec: document };
    const { id: first } = await api.ask<{ id: string }>(admin, 'POST', '/api/collections/', input);
    const found = () => api.ask<readonly unknown[]>(admin, 'POST', '/api/vector/search', { query: 'weather' });
    while ((await found()).length === 0) await pause(50);
    return { clients, first };
  } finally {
    await stop();
  }
};

const descriptionOf = (name: string): string => `What others need of ${name}: reading, searching and changing.`;
const textOf = (name: string): string => `${name}\n${descriptionOf(name)}`;
const nothing = new Float32Array(0);

const onFile = (file: string, work: (database: DatabaseSync) => void): void => {
  const database = new DatabaseSync(file);
  try {
    database.exec('pragma synchronous = off; begin immediate');
    work(database);
    database.exec('commit');
  } finally {
    database.close();
  }
};

interface Copy {
  readonly id: string;
  readonly name: string;
  readonly vector: Float32Array;
}

const insertCopies = (database: DatabaseSync, first: string, modelId: string, copies: readonly Copy[]): void => {
  const [last] = database.prepare('select max(sequence) as sequence from collection_embeddings').all();
  const sequence = Number(last?.['sequence']);
  const collection = copying(database, 'collections', 'id', ['id', 'name', 'name_key', 'description']);
  const document = copying(database, 'documents', 'collection_id', ['collection_id']);
  const embedding = copying(database, 'collection_embeddings', 'collection_id', [
    ...['collection_id', 'model_id', 'sequence', 'vector'],
  ]);
  copies.forEach(({ id, name, vector }, at) => {
    collection(first, { id, name, name_key: nameKey(name), description: descriptionOf(name) });
    document(first, { collection_id: id });
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    embedding(first, { collection_id: id, model_id: modelId, sequence: sequence + at + 1, vector: bytes });
  });
  database.exec(
    'update epochs set catalog = catalog + 1, embeddings = (select max(sequence) from collection_embeddings)',
  );
};

/** Inserts a copy of the row with that key in which these columns differ. */
const copying = (database: DatabaseSync, table: string, key: string, changed: readonly string[]) => {
  const all = database.prepare('select name from pragma_table_info(?)').all(table);
  const names = all.map(({ name }) => String(name));
  const selected = names.map((name) => (changed.includes(name) ? '?' : name));
  const text = `insert into ${table} (${names.join(', ')}) select ${selected.join(', ')} from ${table} where ${key} = ?`;
  const insert = database.prepare(text);
  const inOrder = names.filter((name) => changed.includes(name));
  return (of: string, values: Readonly<Record<string, string | number | Uint8Array>>): void => {
    insert.run(...inOrder.map((name) => values[name] ?? null), of);
  };
};
