import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { stopTime, type StoppedTime } from '@portico/test-servers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeAccountToken, PorticoError, type AuditEntry, type EntryId, type ServiceAccountId } from '@portico/domain';
import { routes } from '../../src/index.ts';
import { outcomeOf } from '../reply.ts';
import { createFixtures, expectStatus, unknownId, type Start, type StartOptions, type Subject } from '../subject.ts';

/** The part of the service's own OpenAPI document that these tests read. */
interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post: { readonly responses: Responses } }>>;
}
type Responses = Readonly<Record<string, { readonly headers: object }>>;

const failToConnect = (): Promise<never> =>
  Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3:5432 password=hunter2'));

/** Tests the behaviour while a dependency is down. Needs a composition with replaceable ports. */
export const faultsSuite = (start: Start): void => {
  let subject: Subject;
  const startWith = async (options: StartOptions): Promise<Subject> => (subject = await start(options));
  let time: StoppedTime | null = null;
  afterEach(async () => {
    time?.restore();
    await subject.close();
  });

  const internal = { detail: 'Internal server error' };

  test('while the database is unavailable, every route that reads it returns a 500, and only the log contains its address', async () => {
    const callers = {
      findByUid: failToConnect,
      findByClientId: failToConnect,
      findByEitherId: failToConnect,
      findByAccountId: failToConnect,
    };
    await startWith({ ports: () => ({ callers }) });
    const identityToken = await subject.mint({ uid: 'someone' });
    const accountToken = makeAccountToken(unknownId as ServiceAccountId, new Uint8Array(32));
    for (const { method, path, auth } of routes.filter((route) => route.auth !== 'free')) {
      if (auth === 'open') continue;
      const headers = ['X-Request-Id', `broken-${method}`];
      for (const token of [identityToken, accountToken]) {
        const reply = await subject.client.call(method, path.replace(/:\w+/g, unknownId), { token, headers });
        expect([method, path, reply.status, reply.body]).toEqual([method, path, 500, internal]);
      }
    }
    const errorLine = subject.listLogLines().find((candidate) => candidate.includes('ECONNREFUSED'));
    expect(errorLine).toContain('"request_id":"broken-');
    expect((await subject.client.call('GET', '/health')).status).toBe(200);
  });

  test('while the database is unavailable, metrics report that and omit the values stored in it', async () => {
    await startWith({
      ports: ({ outbox }) => ({
        outbox: { ...outbox, readState: failToConnect },
        probes: [{ name: 'database', essential: true, check: failToConnect }],
      }),
    });
    const { status, text } = await subject.client.call('GET', '/metrics');
    expect(status).toBe(200);
    expect(text).toContain('dependency_up{dependency="database"} 0');
    expect(text).toContain('http_request_duration_seconds');
    expect(text).not.toMatch(/^outbox_/m);
    expect(text).not.toContain('hunter2');
  });

  test('collecting metrics reads the outbox once', async () => {
    let reads = 0;
    await startWith({
      ports: ({ outbox }) => ({
        outbox: {
          ...outbox,
          readState: (now) => {
            reads += 1;
            return outbox.readState(now);
          },
        },
      }),
    });
    for (const scrape of [1, 2]) {
      const { text } = await subject.client.call('GET', '/metrics');
      expect(text.match(/^outbox_\w+/gm)).toEqual(['outbox_jobs', 'outbox_jobs', 'outbox_oldest_due_seconds']);
      expect(reads).toBe(scrape);
    }
  });

  test('a registration that cannot be stored is a 500', async () => {
    await startWith({ ports: ({ profiles }) => ({ profiles: { ...profiles, add: failToConnect } }) });
    const json = { firebase_uid: 'u', email: 'u@example.com', full_name: 'U' };
    expect(outcomeOf(await subject.client.call('POST', '/api/profiles/register', { json }))).toEqual([500, internal]);
  });

  test('a registration without a required token is a 401', async () => {
    await startWith({ settings: { registrationRequiresToken: true } });
    const json = { firebase_uid: 'u', email: 'u@example.com', full_name: 'U' };
    expect((await subject.client.call('POST', '/api/profiles/register', { json })).status).toBe(401);
    const token = await subject.mint({ uid: 'u', email: 'u@example.com' });
    expect((await subject.client.call('POST', '/api/profiles/register', { json, token })).status).toBe(201);
  });

  test('if the identity provider is unreachable, the response is a 500 with a specific detail', async () => {
    const verify = () => Promise.reject(new PorticoError('identity_unavailable'));
    await startWith({ ports: () => ({ tokens: { verify, readUserInfo: verify } }) });
    const reply = await subject.client.call('GET', '/api/collections/', { token: 'any' });
    expect([reply.status, reply.body]).toEqual([500, { detail: 'Identity provider unavailable' }]);
  });

  test('while the index is unavailable, a search in the database returns the same results, and a header reports that', async () => {
    let isUnavailable = false;
    await startWith({
      ports: ({ vectors }) => ({
        vectors: {
          ...vectors,
          search: async (query) => ({ ...(await vectors.search(query)), isFallback: isUnavailable }),
        },
      }),
    });
    const fixtures = await createFixtures(subject);
    await fixtures.newCollection();
    await subject.runJobs();
    const search = () =>
      subject.client.call('POST', '/api/vector/search', { token: fixtures.admin, json: { query: 'q' } });
    const searchReply = await search();
    expect([searchReply.status, searchReply.list.length, searchReply.headers['x-search-mode']]).toEqual([
      200,
      1,
      undefined,
    ]);
    isUnavailable = true;
    const exactReply = await search();
    expect([exactReply.text, exactReply.headers['x-search-mode']]).toEqual([searchReply.text, 'exact']);
  });

  test('while the embedder is unavailable, searches and the health check fail, but collections can be changed', async () => {
    const failAsUnavailable = () => Promise.reject(new PorticoError('embedding_unavailable'));
    await startWith({
      ports: ({ embedder }) => ({ embedder: { ...embedder, embed: failAsUnavailable, check: failAsUnavailable } }),
    });
    const fixtures = await createFixtures(subject);
    const id = await fixtures.newCollection();
    await subject.runJobs();
    const search = await subject.client.call('POST', '/api/vector/search', {
      token: fixtures.admin,
      json: { query: 'q' },
    });
    expect([search.status, search.body]).toEqual([500, { detail: 'Embedding service unavailable' }]);
    expect(search.headers['retry-after']).toBeUndefined();
    const client = await fixtures.newClient();
    const failedReply = await subject.client.call('POST', '/api/vector/search', {
      key: client.key,
      json: { query: 'q' },
    });
    expect([failedReply.status, failedReply.list]).toEqual([200, []]);
    expect(outcomeOf(await subject.client.call('GET', '/api/vector/health'))).toEqual([
      503,
      {
        status: 'unavailable',
        embedder: { status: 'unavailable', reason: 'Embedding service unavailable', model: null },
        index: { status: 'healthy', kind: expect.any(String) as string },
        dimension: 768,
      },
    ]);
    const options = { token: fixtures.admin, json: { name: 'New' } };
    expect((await subject.client.call('PUT', `/api/collections/${id}`, options)).status).toBe(200);
  });

  test('while the embedder is busy, searches fail with a Retry-After', async () => {
    const failAsBusy = () => Promise.reject(new PorticoError('embedding_unavailable', { retryAfterSeconds: 10 }));
    await startWith({ ports: ({ embedder }) => ({ embedder: { ...embedder, embed: failAsBusy } }) });
    const fixtures = await createFixtures(subject);
    await fixtures.newCollection();
    const search = await subject.client.call('POST', '/api/vector/search', {
      token: fixtures.admin,
      json: { query: 'q' },
    });
    expect([search.status, search.body]).toEqual([500, { detail: 'Embedding service unavailable' }]);
    expect(search.headers['retry-after']).toBe('10');
    const { paths } = (await subject.client.call('GET', '/openapi.json')).body as unknown as OpenApi;
    const responses = ['/api/vector/search', '/api/operations/search'].map(
      (path) => paths[path]?.post.responses['500'],
    );
    for (const response of responses) expect(response?.headers).toHaveProperty('Retry-After');
    expect(paths['/api/profiles/register']?.post.responses['500']?.headers).not.toHaveProperty('Retry-After');
  });

  test('readiness reports each unavailable dependency, and a reason only if the service wrote it', async () => {
    const reason = 'the model is being pulled (50 %, 137 of 274 MB)';
    const failWhileLoading = () =>
      Promise.reject(new PorticoError('embedding_unavailable', { reason, cause: new Error('http://10.1.2.3:11434') }));
    const probes = [
      { name: 'database', essential: true, check: failToConnect },
      { name: 'mail', essential: false, check: failToConnect },
      { name: 'cache', essential: false, check: () => Promise.resolve() },
    ];
    await startWith({ ports: ({ embedder }) => ({ probes, embedder: { ...embedder, check: failWhileLoading } }) });
    expect(outcomeOf(await subject.client.call('GET', '/ready'))).toEqual([
      503,
      {
        status: 'not ready',
        checks: {
          database: { status: 'unavailable', essential: true },
          embedder: { status: 'unavailable', essential: false, reason: `Embedding service unavailable: ${reason}` },
          mail: { status: 'unavailable', essential: false },
          cache: { status: 'ok', essential: false },
          'vector index': { status: 'ok', essential: false },
        },
        operations: null,
      },
    ]);
    await expect.poll(() => subject.listLogLines().join('')).toContain('"route":"/ready","status":503');
    expect((await subject.client.call('GET', '/api/vector/health')).body).toMatchObject({
      embedder: { status: 'unavailable', reason: `Embedding service unavailable: ${reason}`, model: null },
    });
  });

  test('if a response takes too long, it is a 500, and its late result does not affect other requests', async () => {
    let release = (): void => undefined;
    const blockedCall = new Promise<void>((resolve) => (release = resolve));
    time = stopTime(vi);
    const queryStarted = Promise.withResolvers<void>();
    await startWith({
      responseTimeoutMs: 50,
      ports: ({ profiles }) => ({
        profiles: {
          ...profiles,
          select: (filter, page) => {
            queryStarted.resolve();
            return blockedCall.then(() => profiles.select(filter, page));
          },
        },
      }),
    });
    const fixtures = await createFixtures(subject);
    const reply = subject.client.call('GET', '/api/profiles/', { token: fixtures.admin });
    await queryStarted.promise;
    await time.advance(50);
    expect(outcomeOf(await reply)).toEqual([500, internal]);
    release();
    expect((await subject.client.call('GET', '/api/profiles/', { token: fixtures.admin })).status).toBe(200);
  });

  test('the response timeout does not start while a slow client sends its request', async () => {
    time = stopTime(vi);
    await startWith({ responseTimeoutMs: 50 });
    const { hostname, port } = new URL(subject.client.baseUrl);
    const body = JSON.stringify({ firebase_uid: 'slow', email: 'slow@example.com', full_name: 'Slow' });
    const status = await new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
      const path = '/api/profiles/register';
      const outgoing = httpRequest({ hostname, port, method: 'POST', path, headers }, (reply) => {
        reply.resume();
        resolve(reply.statusCode);
      });
      outgoing.on('error', reject);
      outgoing.write(body.slice(0, 10), () => void time?.advance(150).then(() => outgoing.end(body.slice(10))));
    });
    expect(status).toBe(201);
  });

  test('if a client disconnects before the end of its body, a log line is written, but no error', async () => {
    await startWith({});
    const { hostname, port } = new URL(subject.client.baseUrl);
    const socket = connect(Number(port), hostname);
    const head = 'POST /api/profiles/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 100\r\n\r\n{"fire`, () => setTimeout(() => socket.destroy(), 20));
    await expect
      .poll(() => subject.listLogLines().find((line) => line.includes('"aborted":true')))
      .toContain('"status":499');
    expect(subject.listLogLines().join('')).not.toContain('request failed');
    expect((await subject.client.call('GET', '/health')).status).toBe(200);
  });

  describe('an export', () => {
    const entry = (index: number): AuditEntry => ({
      id: unknownId as EntryId,
      source: 'client',
      actorId: null,
      message: JSON.stringify({ at: index, padding: 'x'.repeat(2_000) }),
      timestamp: '2026-01-01T00:00:00Z',
      instant: 0,
      receivedAt: 0,
      facets: { clientId: null, collectionId: null, action: null },
    });
    const openExport = async (exportEntries: () => AsyncIterable<AuditEntry>) => {
      await startWith({ ports: ({ audit }) => ({ audit: { ...audit, export: exportEntries } }) });
      const { admin } = await createFixtures(subject);
      const { hostname, port } = new URL(subject.client.baseUrl);
      const headers = { Authorization: `Bearer ${admin}` };
      return httpRequest({ hostname, port, path: '/api/audit/export', headers });
    };

    test('is generated no faster than it is read, and stops when the client disconnects', async () => {
      let entryCount = 0;
      let isClosed = false;
      const outgoing = await openExport(async function* () {
        try {
          for (;;) {
            await Promise.resolve();
            yield entry(entryCount++);
          }
        } finally {
          isClosed = true;
        }
      });
      await new Promise<void>((resolve, reject) => {
        outgoing.on('error', reject).on('response', (incoming) => {
          incoming.on('error', () => undefined);
          incoming.pause();
          resolve();
        });
        outgoing.end();
      });
      // Once every buffer on the way is full, no more entries are generated.
      let countBefore = -1;
      await expect.poll(() => countBefore === (countBefore = entryCount), { interval: 200 }).toBe(true);
      expect(isClosed).toBe(false);
      outgoing.destroy();
      await expect.poll(() => isClosed).toBe(true);
    });

    test('starts its response before the first entry', async () => {
      let release = (): void => undefined;
      const blockedCall = new Promise<void>((resolve) => (release = resolve));
      const outgoing = await openExport(async function* () {
        await blockedCall;
        yield entry(1);
      });
      const status = await new Promise((resolve) => {
        outgoing.on('response', (incoming) => {
          release();
          incoming.resume().on('end', () => resolve(incoming.statusCode));
        });
        outgoing.end();
      });
      expect(status).toBe(200);
    });

    test('that fails midway breaks the connection, so the export does not look complete', async () => {
      const outgoing = await openExport(async function* () {
        for (let index = 0; index < 100; index++) yield entry(index);
        await failToConnect();
      });
      const isComplete = await new Promise((resolve) => {
        outgoing.on('response', (incoming) => {
          incoming.on('error', () => undefined).on('close', () => resolve(incoming.complete));
          incoming.resume();
        });
        outgoing.end();
      });
      expect(isComplete).toBe(false);
      expect(expectStatus(await subject.client.call('GET', '/health'), 200).status).toBe(200);
    });
  });
};
