import type { Catalog } from './catalog.ts';
import type { Collection } from './collection.ts';
import type { Point } from './point.ts';
import { readFilter } from './filters.ts';
import { countOf, flagOf, idOf, limitOf, listOf, objectOf, textOf, type Json, type JsonObject } from './json-shapes.ts';
import { runQuery } from './queries.ts';
import { createFormatError, createWrongInputError } from './request-error.ts';
import type { Vector } from './vectors.ts';

export interface Call {
  readonly catalog: Catalog;
  /** The name of the collection or alias in the path. */
  readonly name: string;
  readonly body: JsonObject;
  /** Whether the request has `wait=true`. */
  readonly isAwaited: boolean;
}

/** The handlers, by method and path. Each returns the `result` of the response. */
export const routes: Readonly<Record<string, (call: Call) => unknown>> = {
  'GET /collections': ({ catalog }) => ({ collections: catalog.names.map((name) => ({ name })) }),
  'GET /aliases': ({ catalog }) => ({ aliases: catalog.aliases }),
  'POST /collections/aliases': ({ catalog, body }) => {
    catalog.changeAliases(body.actions);
    return true;
  },
  'GET /collections/:name': ({ catalog, name }) => describeCollection(catalog.get(name)),
  'GET /collections/:name/exists': ({ catalog, name }) => ({ exists: catalog.has(name) }),
  'PUT /collections/:name': ({ catalog, name, body }) => {
    catalog.create(name, body);
    return true;
  },
  'DELETE /collections/:name': ({ catalog, name }) => catalog.delete(name),
  'PUT /collections/:name/index': (call) => {
    const collection = call.catalog.get(call.name);
    const field = textOf(call.body.field_name, 'field_name');
    if (call.body.field_schema === undefined) throw createFormatError('missing field `field_schema`');
    collection.payloadIndexes.set(field, call.body.field_schema);
    return createOperationResult(0, call);
  },
  'PUT /collections/:name/points': (call) => createOperationResult(call.catalog.get(call.name).upsert(call.body), call),
  'POST /collections/:name/points/delete': (call) =>
    createOperationResult(call.catalog.get(call.name).delete(call.body), call),
  'POST /collections/:name/points/batch': (call) => {
    const collection = call.catalog.get(call.name);
    return listOf(call.body.operations, 'operations').map((item) => {
      const operation = objectOf(item, 'an operation');
      if (operation.upsert !== undefined) return createOperationResult(collection.upsert(operation.upsert), call);
      if (operation.delete !== undefined) return createOperationResult(collection.delete(operation.delete), call);
      throw createFormatError('unknown variant of an update operation');
    });
  },
  'POST /collections/:name/points': ({ catalog, name, body }) => {
    const collection = catalog.get(name);
    return listOf(body.ids, 'ids')
      .map((id) => collection.find(idOf(id)))
      .filter((point) => point !== undefined)
      .map((point) => toResponsePoint(point, body, true));
  },
  'POST /collections/:name/points/count': ({ catalog, name, body }) => ({
    count: catalog.get(name).findMatching(readFilter(body.filter)).length,
  }),
  'POST /collections/:name/points/scroll': ({ catalog, name, body }) => {
    const limit = body.limit === undefined ? 10 : limitOf(body.limit);
    const startId = body.offset === undefined || body.offset === null ? null : String(idOf(body.offset));
    const points = catalog
      .get(name)
      .findMatching(readFilter(body.filter))
      .filter(({ id }) => startId === null || String(id) >= startId)
      .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
    const page = points.slice(0, limit).map((point) => toResponsePoint(point, body, true));
    return { points: page, next_page_offset: points[limit]?.id ?? null };
  },
  'POST /collections/:name/facet': ({ catalog, name, body }) => {
    const collection = catalog.get(name);
    const key = textOf(body.key, 'key');
    if (!collection.payloadIndexes.has(key)) throw createWrongInputError(`Index required but not found for "${key}"`);
    const limit = body.limit === undefined ? 10 : limitOf(body.limit);
    return { hits: collection.countByValue(key, readFilter(body.filter)).slice(0, limit) };
  },
  'POST /collections/:name/points/query': ({ catalog, name, body }) => {
    const limit = body.limit === undefined || body.limit === null ? 10 : limitOf(body.limit);
    const offset = body.offset === undefined || body.offset === null ? 0 : countOf(body.offset, 'offset');
    const minScore = body.score_threshold ?? -Infinity;
    if (typeof minScore !== 'number') throw createFormatError('invalid type, expected f32 as score_threshold');
    const points = runQuery(catalog.get(name), body, offset + limit)
      .slice(offset)
      .filter(({ score }) => score >= minScore)
      .map(({ point, score }) => ({ ...toResponsePoint(point, body, false), version: point.version, score }));
    return { points };
  },
};

const createOperationResult = (operationId: number, { isAwaited }: Call) => ({
  operation_id: operationId,
  status: isAwaited ? 'completed' : 'acknowledged',
});

const toResponsePoint = (point: Point, { with_payload, with_vector }: JsonObject, isPayloadShown: boolean) => ({
  id: point.id,
  ...(isShown(with_payload, isPayloadShown) ? { payload: selectFields(point.payload, with_payload) } : {}),
  ...(with_vector !== undefined && flagOf(with_vector, 'with_vector')
    ? { vector: toResponseVectors(point.vectors) }
    : {}),
});

/** Returns the vectors as in a response, where an unnamed vector has no name. */
const toResponseVectors = (vectors: Point['vectors']) => {
  const vectorsByName = Object.fromEntries([...vectors].map(([name, vector]) => [name, numbersIn(vector)]));
  return vectorsByName[''] ?? vectorsByName;
};

const numbersIn = (vector: Vector) =>
  vector instanceof Float32Array ? [...vector] : { indices: [...vector.keys()], values: [...vector.values()] };

const isShown = (value: Json | undefined, defaultValue: boolean): boolean =>
  value === undefined || value === null ? defaultValue : value !== false;

const selectFields = (payload: JsonObject, selection: Json | undefined): JsonObject => {
  if (!Array.isArray(selection)) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([key]) => (selection as readonly Json[]).includes(key)));
};

const describeCollection = (collection: Collection) => ({
  status: 'green',
  optimizer_status: 'ok',
  points_count: collection.count,
  indexed_vectors_count: 0,
  segments_count: 1,
  config: {
    params: {
      vectors: collection.vectors.dense.get('') ?? Object.fromEntries(collection.vectors.dense),
      sparse_vectors: Object.fromEntries([...collection.vectors.sparse].map((name) => [name, {}])),
      shard_number: 1,
    },
    ...(collection.metadata ? { metadata: collection.metadata } : {}),
  },
  payload_schema: Object.fromEntries(
    [...collection.payloadIndexes].map(([field, schema]) => [field, { data_type: schema, points: collection.count }]),
  ),
});
