import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startFakeQdrant } from './fake-qdrant.ts';
import { connectToQdrant } from './connect-to-qdrant.ts';

interface TestResponse {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly body: { readonly result?: unknown; readonly status?: unknown };
}

/** Creates a function that calls the server over plain HTTP, because the tests check its wire format. */
const createCaller = (server: { readonly url: string; readonly apiKey?: string | null | undefined }) => {
  const key = server.apiKey;
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> => {
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: { ...(key ? { 'api-key': key } : {}), 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    let json: unknown = {};
    if (response.headers.get('content-type')?.includes('application/json')) json = JSON.parse(text);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text,
      body: json as TestResponse['body'],
    };
  };
};

const errorOf = ({ body }: TestResponse): string => (body.status as { readonly error: string }).error;
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const axis = (...components: readonly number[]) => Array.from({ length: 4 }, (_, i) => components[i] ?? 0);

/** Tests the behavior that the adapter relies on, for the fake or the real server. */
const testServer = (server: { readonly url: string; readonly apiKey?: string | null | undefined }) => {
  const call = createCaller(server);
  const createdNames: string[] = [];
  afterEach(async () => {
    for (const name of createdNames.splice(0)) await call('DELETE', `/collections/${name}`);
  });

  const create = async (
    vectors: object = { size: 4, distance: 'Cosine' },
    sparse_vectors: object = {},
  ): Promise<string> => {
    const name = `fact-${randomUUID()}`;
    createdNames.push(name);
    const config = { vectors, sparse_vectors, hnsw_config: { m: 0 } };
    expect(await call('PUT', `/collections/${name}`, config)).toMatchObject({
      status: 200,
      body: { result: true, status: 'ok' },
    });
    return name;
  };
  const upsert = (name: string, points: readonly object[], extraFields: object = {}) =>
    call('PUT', `/collections/${name}/points?wait=true`, { points, ...extraFields });
  const query = async (name: string, body: object) => {
    const response = await call('POST', `/collections/${name}/points/query`, body);
    expect(response.status).toBe(200);
    return (response.body.result as { readonly points: readonly { readonly id: string; readonly score: number }[] })
      .points;
  };
  const readPoints = async (name: string, ids: readonly string[]) =>
    (await call('POST', `/collections/${name}/points`, { ids, with_payload: true })).body.result;

  test('the version is available without a key', async () => {
    const { body } = await call('GET', '/', undefined, { 'api-key': '' });
    const { title, version } = body as { readonly title?: string; readonly version?: string };
    expect(title).toContain('qdrant');
    expect(version).toMatch(/^1\./);
  });

  test('it reports its health in plain text', async () => {
    expect(await call('GET', '/healthz')).toMatchObject({ status: 200, text: 'healthz check passed' });
    expect(await call('GET', '/livez')).toMatchObject({ status: 200, text: 'healthz check passed' });
    expect(await call('GET', '/readyz')).toMatchObject({ status: 200, text: 'all shards are ready' });
  });

  test('a collection reports its size and distance', async () => {
    const { body } = await call('GET', `/collections/${await create()}`);
    expect(body.result).toMatchObject({ config: { params: { vectors: { size: 4, distance: 'Cosine' } } } });
  });

  test('creating an existing collection returns a conflict', async () => {
    const name = await create();
    const response = await call('PUT', `/collections/${name}`, { vectors: { size: 4, distance: 'Cosine' } });
    expect([response.status, errorOf(response)]).toEqual([409, `Wrong input: Collection \`${name}\` already exists!`]);
  });

  test('a missing collection returns 404, with an envelope without a result', async () => {
    const response = await call('POST', '/collections/no-such/points/query', { query: axis(1), limit: 1 });
    expect([response.status, errorOf(response)]).toEqual([404, "Not found: Collection `no-such` doesn't exist!"]);
    expect(response.body).not.toHaveProperty('result');
  });

  test('deleting a missing collection is not an error, and does nothing', async () => {
    expect(await call('DELETE', '/collections/no-such')).toMatchObject({ status: 200, body: { result: false } });
  });

  test('an alias to a missing collection is not created', async () => {
    const response = await call('POST', '/collections/aliases', {
      actions: [{ create_alias: { collection_name: 'no-such', alias_name: 'no-such-alias' } }],
    });
    expect([response.status, errorOf(response)]).toEqual([404, "Not found: Collection `no-such` doesn't exist!"]);
    expect((await call('GET', '/aliases')).text).not.toContain('no-such-alias');
  });

  test('deleting a collection deletes its aliases', async () => {
    const name = await create();
    const alias = `${name}-alias`;
    await call('POST', '/collections/aliases', {
      actions: [{ create_alias: { collection_name: name, alias_name: alias } }],
    });
    expect((await call('DELETE', `/collections/${name}`)).body.result).toBe(true);
    expect((await call('GET', '/aliases')).text).not.toContain(alias);
    expect((await call('GET', '/collections')).text).not.toContain(name);
  });

  test('a write is completed with wait=true, and otherwise only acknowledged', async () => {
    const name = await create();
    const points = [{ id: id(1), vector: axis(1), payload: { sequence: 1 } }];
    expect((await upsert(name, points)).body.result).toMatchObject({ status: 'completed' });
    const response = await call('PUT', `/collections/${name}/points?wait=false`, { points });
    expect(response).toMatchObject({ status: 200, body: { result: { status: 'acknowledged' } } });
  });

  test('vectors are normalised to unit length, and compared by cosine from -1 to 1', async () => {
    const name = await create();
    await upsert(name, [
      { id: id(1), vector: axis(10) },
      { id: id(2), vector: axis(3, 4) },
      { id: id(3), vector: axis(-2) },
    ]);
    const points = await query(name, { query: axis(0.5), limit: 10, params: { exact: true } });
    expect(points.map((point) => point.id)).toEqual([1, 2, 3].map(id));
    for (const [i, score] of [1, 0.6, -1].entries()) expect(points[i]?.score).toBeCloseTo(score, 6);
  });

  test('without a limit, a search returns ten points', async () => {
    const name = await create();
    await upsert(
      name,
      Array.from({ length: 12 }, (_, i) => ({ id: id(i), vector: axis(1, i) })),
    );
    expect(await query(name, { query: axis(1) })).toHaveLength(10);
  });

  test('a filter by ids searches only these points, and ignores unknown ids', async () => {
    const name = await create();
    await upsert(name, [
      { id: id(1), vector: axis(1), payload: { model: 'a' } },
      { id: id(2), vector: axis(0, 1), payload: { model: 'a' } },
      { id: id(3), vector: axis(1), payload: { model: 'b' } },
    ]);
    const must = [{ key: 'model', match: { value: 'a' } }, { has_id: [id(2), id(3), id(99)] }];
    const points = await query(name, { query: axis(1), limit: 10, filter: { must } });
    expect(points.map((point) => point.id)).toEqual([id(2)]);
  });

  test('an existing point changes only if the update filter matches it; a new one is always inserted', async () => {
    const name = await create();
    const write = (sequence: number, number = 1) =>
      upsert(name, [{ id: id(number), vector: axis(1), payload: { sequence } }], {
        update_filter: { must_not: [{ key: 'sequence', range: { gte: sequence } }] },
      });
    await write(5);
    await write(4);
    expect(await readPoints(name, [id(1)])).toMatchObject([{ payload: { sequence: 5 } }]);
    await write(6);
    expect(await readPoints(name, [id(1)])).toMatchObject([{ payload: { sequence: 6 } }]);
    await upsert(name, [{ id: id(2), vector: axis(1) }]);
    await write(1, 2);
    expect(await readPoints(name, [id(2)])).toMatchObject([{ payload: { sequence: 1 } }]);
  });

  test('a batch performs its operations in order, and reports the status of each', async () => {
    const name = await create();
    const selectSequence = (sequence: number) => ({
      must: [{ has_id: [id(1)] }, { key: 'sequence', match: { value: sequence } }],
    });
    const response = await call('POST', `/collections/${name}/points/batch?wait=true`, {
      operations: [
        { upsert: { points: [{ id: id(1), vector: axis(1), payload: { sequence: 2 } }] } },
        { delete: { filter: selectSequence(1) } },
        { upsert: { points: [{ id: id(2), vector: axis(1), payload: { sequence: 2 } }] } },
        { delete: { filter: selectSequence(2) } },
      ],
    });
    expect(response.body.result).toMatchObject(Array.from({ length: 4 }, () => ({ status: 'completed' })));
    expect(await readPoints(name, [id(1), id(2)])).toMatchObject([{ id: id(2) }]);
  });

  test('in a batch, each upsert has its own update filter', async () => {
    const name = await create();
    await upsert(
      name,
      [1, 2].map((number) => ({ id: id(number), vector: axis(1), payload: { sequence: 5 } })),
    );
    const upsertNewer = (number: number, sequence: number) => ({
      upsert: {
        points: [{ id: id(number), vector: axis(1), payload: { sequence } }],
        update_filter: { must_not: [{ key: 'sequence', range: { gte: sequence } }] },
      },
    });
    const operations = [upsertNewer(1, 4), upsertNewer(2, 6), upsertNewer(3, 1)];
    const response = await call('POST', `/collections/${name}/points/batch?wait=true`, { operations });
    expect(response.body.result).toMatchObject(operations.map(() => ({ status: 'completed' })));
    const points = (await readPoints(name, [1, 2, 3].map(id))) as readonly {
      readonly id: string;
      readonly payload: { readonly sequence: number };
    }[];
    expect(new Map(points.map((point) => [point.id, point.payload.sequence]))).toEqual(
      new Map([
        [id(1), 5],
        [id(2), 6],
        [id(3), 1],
      ]),
    );
  });

  /** Creates three points with a vector `meaning`, compared by dot product. Two also have a sparse vector `words`. */
  const createHybrid = async (): Promise<string> => {
    const name = await create({ meaning: { size: 4, distance: 'Dot' } }, { words: {} });
    const words = (...values: readonly number[]) => ({ indices: [7, 4_294_967_295], values });
    const response = await upsert(name, [
      { id: id(1), vector: { meaning: axis(2), words: words(1, -4) }, payload: { of: 'a' } },
      { id: id(2), vector: { meaning: axis(-1), words: words(0.5, 1) }, payload: { of: 'a' } },
      { id: id(3), vector: { meaning: axis(0.5) }, payload: { of: 'b' } },
    ]);
    expect(response.status).toBe(200);
    return name;
  };
  const scoresOf = (points: readonly { readonly id: string; readonly score: number }[]) =>
    points.map((point) => [point.id, point.score]);
  const meaningQuery = { query: axis(1), using: 'meaning', params: { exact: true } };
  const wordsQuery = { query: { indices: [4_294_967_295, 7], values: [1, 1] }, using: 'words' };

  test('named vectors are compared by dot product; sparse ones match by a common index, even with a negative score', async () => {
    const name = await createHybrid();
    expect(scoresOf(await query(name, meaningQuery))).toEqual([
      [id(1), 2],
      [id(3), 0.5],
      [id(2), -1],
    ]);
    expect(scoresOf(await query(name, wordsQuery))).toEqual([
      [id(2), 1.5],
      [id(1), -3],
    ]);
    expect(await query(name, { ...wordsQuery, query: { indices: [8], values: [1] } })).toEqual([]);
  });

  test('a formula adds the scores of prefetches, which search only the results of their own prefetches', async () => {
    const name = await createHybrid();
    const body = (limit: number) => {
      const prefetch = [meaningQuery, wordsQuery].map((kind) => ({ ...kind, limit }));
      return {
        prefetch: prefetch.map((kind) => ({ ...kind, prefetch, limit: 10 })),
        query: { formula: { sum: ['$score[0]', '$score[1]'] }, defaults: { '$score[0]': 0, '$score[1]': 0 } },
      };
    };
    const allScores = [
      [id(2), 0.5],
      [id(3), 0.5],
      [id(1), -1],
    ];
    expect(new Map(scoresOf(await query(name, body(10))) as [string, number][])).toEqual(new Map(allScores as never));
    // Each prefetch returns only its best point: the first point gets both scores, and the third is not a candidate.
    expect(scoresOf(await query(name, body(1)))).toEqual([
      [id(2), 0.5],
      [id(1), -1],
    ]);
    expect(await query(name, { ...body(10), limit: 1 })).toHaveLength(1);
    const filter = { must: [{ key: 'of', match: { any: ['b', 'c'] } }] };
    expect(scoresOf(await query(name, { ...body(1), filter }))).toEqual([[id(3), 0.5]]);
  });

  test('points are counted for each value of an indexed payload key', async () => {
    const name = await createHybrid();
    const requestFacet = (body: object) =>
      call('POST', `/collections/${name}/facet`, { key: 'of', exact: true, ...body });
    expect((await requestFacet({})).status).toBe(400);
    await call('PUT', `/collections/${name}/index?wait=true`, { field_name: 'of', field_schema: 'keyword' });
    expect((await requestFacet({ limit: 1_000_000 })).body.result).toEqual({
      hits: [
        { value: 'a', count: 2 },
        { value: 'b', count: 1 },
      ],
    });
    const filter = { must: [{ key: 'of', match: { any: ['b'] } }] };
    expect((await requestFacet({ filter })).body.result).toEqual({ hits: [{ value: 'b', count: 1 }] });
  });

  test('deleting missing points is not an error', async () => {
    const response = await call('POST', `/collections/${await create()}/points/delete?wait=true`, { points: [id(7)] });
    expect(response.body.result).toMatchObject({ status: 'completed' });
  });

  test('all points are read page by page, with the requested part of their payload', async () => {
    const name = await create();
    await upsert(
      name,
      Array.from({ length: 5 }, (_, i) => ({ id: id(i), vector: axis(1), payload: { sequence: i, model: 'a' } })),
    );
    const readPage = async (offset?: string) =>
      (await call('POST', `/collections/${name}/points/scroll`, { limit: 3, offset, with_payload: ['sequence'] })).body
        .result as { readonly points: readonly { readonly id: string }[]; readonly next_page_offset: string | null };
    const firstPage = await readPage();
    const secondPage = await readPage(firstPage.next_page_offset ?? '');
    expect([firstPage.points.length, secondPage.points.length, secondPage.next_page_offset]).toEqual([3, 2, null]);
    expect(firstPage.points[0]).toEqual({ id: id(0), payload: { sequence: 0 } });
  });

  test('an alias refers to its collection, and one action moves it', async () => {
    const [name, otherName] = [await create(), await create()];
    const alias = `${name}-alias`;
    await upsert(otherName, [{ id: id(1), vector: axis(1) }]);
    for (const collection_name of [name, otherName]) {
      const response = await call('POST', '/collections/aliases', {
        actions: [{ create_alias: { collection_name, alias_name: alias } }],
      });
      expect(response.body.result).toBe(true);
    }
    expect(await query(alias, { query: axis(1) })).toHaveLength(1);
    const { aliases } = (await call('GET', '/aliases')).body.result as { readonly aliases: readonly object[] };
    expect(aliases).toContainEqual({ alias_name: alias, collection_name: otherName });
    const conflictWithAlias = await call('PUT', `/collections/${alias}`, { vectors: { size: 4, distance: 'Cosine' } });
    expect(conflictWithAlias.status).toBe(400);
    const conflictWithCollection = await call('POST', '/collections/aliases', {
      actions: [{ create_alias: { collection_name: name, alias_name: otherName } }],
    });
    expect(conflictWithCollection.status).toBe(409);
  });

  test('a vector of a different length is rejected', async () => {
    const response = await upsert(await create(), [{ id: id(1), vector: [1, 2, 3] }]);
    expect([response.status, errorOf(response)]).toEqual([
      400,
      'Wrong input: Vector dimension error: expected dim: 4, got 3',
    ]);
  });

  test('an id that is neither a number nor a UUID is rejected', async () => {
    const response = await call('POST', `/collections/${await create()}/points`, { ids: ['abc'] });
    expect(response.status).toBe(400);
    expect(errorOf(response)).toContain(
      'value abc is not a valid point ID, valid values are either an unsigned integer or a UUID',
    );
  });

  test('invalid JSON and values of a different type are rejected', async () => {
    const name = await create();
    for (const body of ['{"points":', '{"points": 5}', '{"ids": "abc"}']) {
      const response = await call('POST', `/collections/${name}/points`, body);
      expect(response.status).toBe(400);
      expect(errorOf(response)).toMatch(/^Format error in JSON body: /);
    }
  });

  test('a limit of 0 is invalid', async () => {
    const response = await call('POST', `/collections/${await create()}/points/query`, { query: axis(1), limit: 0 });
    expect(response.status).toBe(422);
    expect(errorOf(response)).toMatch(/^Validation error in JSON body: \[.*limit/);
  });

  test('a body over 32 MiB is rejected with 400', async () => {
    const name = await create();
    const body = `{"ids":["${'a'.repeat(32 * 1024 * 1024)}"]}`;
    expect((await call('POST', `/collections/${name}/points`, body)).status).toBe(400);
  });

  test('a payload index is created', async () => {
    const response = await call('PUT', `/collections/${await create()}/index?wait=true`, {
      field_name: 'model',
      field_schema: 'keyword',
    });
    expect(response.body.result).toMatchObject({ status: 'completed' });
  });
};

const testAuthentication = (server: { readonly url: string; readonly apiKey?: string | null | undefined }) => {
  const call = createCaller(server);
  test('a missing or wrong key is rejected in plain text', async () => {
    const response = await createCaller({ url: server.url })('GET', '/collections');
    expect([response.status, response.text]).toEqual([401, 'Must provide an API key or an Authorization bearer token']);
    const wrongKeyResponse = await call('GET', '/collections', undefined, { 'api-key': 'wrong' });
    expect([wrongKeyResponse.status, wrongKeyResponse.text]).toEqual([401, 'Invalid API key or JWT']);
    expect(wrongKeyResponse.type).toContain('text/plain');
  });

  test('a key is also accepted as a bearer token', async () => {
    const bearer = { authorization: `Bearer ${server.apiKey ?? ''}` };
    expect((await createCaller({ url: server.url })('GET', '/collections', undefined, bearer)).status).toBe(200);
  });
};

const fake = await startFakeQdrant({ apiKey: 'a key' });
const realServer = await connectToQdrant();
afterAll(() => fake.close());

describe('fake Qdrant', () => testServer(fake));
describe('fake Qdrant: API keys', () => testAuthentication(fake));
describe.skipIf(!realServer)('Qdrant', () => testServer(realServer ?? fake));
describe.skipIf(!realServer?.apiKey)('Qdrant: API keys', () => testAuthentication(realServer ?? fake));
