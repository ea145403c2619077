import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/index.ts';
import type { CallOptions } from '../client.ts';
import { expectError } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, unknownId, type Client, type Start } from '../subject.ts';

const json = ['Content-Type', 'application/json'];
const blanks = ['', ' ', '\t\n'];
const badTarget =
  /^\{"detail":"(?:Collection|User|Client|Grant|Tier|Group|Override|Request|Service account|Job|Call|Webhook) not found"\}$/;

/** Tests the rules for input that apply to every endpoint (specification, section 1). */
export const inputSuite = (start: Start): void => {
  const { fixtures, call, asAdmin } = provideSubject(start);
  let client: Client;

  beforeAll(async () => {
    client = await fixtures.newClient();
  });

  describe('empty and absent values', () => {
    const withQuery = routes.filter(({ query }) => query !== null);
    const parameters = withQuery.flatMap((route) =>
      Object.keys(route.query?.shape ?? {}).map((name) => [`${route.method} ${route.path}`, name, route] as const),
    );
    test.each(parameters)('%s treats an empty %s as absent', async (_route, name, { method, path, body }) => {
      const target = path.replace(/:\w+/g, unknownId);
      const options = { token: fixtures.admin, ...(body ? { json: { name: 'n', openapi_spec: smallDocument } } : {}) };
      const { status } = await call(method, target, options);
      for (const blank of blanks) {
        expect((await call(method, `${target}?${name}=${encodeURIComponent(blank)}`, options)).status).toBe(status);
      }
    });

    test('an empty authentication keeps the stored credential, and only null removes it', async () => {
      const authentication = { type: 'apiKey', name: 'X-Key', value: 'the-credential' };
      const id = await fixtures.newCollection({ authentication });
      const readStoredAuthentication = async () =>
        (await asAdmin('GET', `/api/collections/${id}/metadata`)).body.authentication;
      for (const blank of [...blanks, undefined]) {
        expect((await asAdmin('PUT', `/api/collections/${id}`, { authentication: blank })).status).toBe(200);
        expect(await readStoredAuthentication()).toMatchObject({ value: 'the-credential' });
      }
      for (const blank of [...blanks, null]) {
        const partialAuthentication = { type: 'apiKey', name: 'X-Key', value: blank, in: blank };
        expect((await asAdmin('PUT', `/api/collections/${id}`, { authentication: partialAuthentication })).status).toBe(
          200,
        );
        expect(await readStoredAuthentication()).toMatchObject({ value: 'the-credential', in: 'header' });
      }
      expect((await asAdmin('PUT', `/api/collections/${id}`, { authentication: null })).status).toBe(200);
      expect(await readStoredAuthentication()).toMatchObject({ type: 'none', value: null });
    });

    test('an empty or null document keeps the stored one, and counts as missing in a new collection', async () => {
      const id = await fixtures.newCollection();
      for (const blank of [...blanks, null]) {
        const reply = await asAdmin('PUT', `/api/collections/${id}`, { openapi_spec: blank, name: blank });
        expect(reply.status).toBe(200);
        expect((await asAdmin('GET', `/api/collections/${id}`)).body.openapi_spec).toEqual(smallDocument);
        const createdReply = await asAdmin('POST', '/api/collections/', { name: 'n', openapi_spec: blank });
        expectError(createdReply, 400, 'Invalid request body: openapi_spec is required');
      }
    });

    test('a PUT with null or an empty string clears the fields that can be cleared', async () => {
      const id = await fixtures.newCollection();
      await asAdmin('POST', '/api/rate-limits/tiers', { tier: 'clearing', allowed_limit: 1, window_seconds: 1 });
      for (const blank of [...blanks, null]) {
        await asAdmin('PUT', `/api/collections/${id}`, { description: 'there' });
        expect((await asAdmin('PUT', `/api/collections/${id}`, { description: blank })).body.description).toBe('');
        const putCompany = (company_name: unknown) =>
          call('PUT', '/api/profiles/me', { token: client.token, json: { company_name } });
        expect((await putCompany('there')).body.company_name).toBe('there');
        expect((await putCompany(blank)).body.company_name).toBeNull();
        await asAdmin('PUT', '/api/rate-limits/tiers/clearing', { description: 'there' });
        const tier = await asAdmin('PUT', '/api/rate-limits/tiers/clearing', { description: blank });
        expect(tier.body.description).toBeNull();
      }
    });
  });

  describe('single-line strings', () => {
    const controlCharacters = [
      '\r\n',
      '\t',
      '\u001b',
      '\u007f',
      '\u009b',
      '\u2028',
      '\u2029',
      '\u200f',
      '\u202e',
      '\u2066',
    ];
    const withAuthentication = (fields: object) => ({
      name: 'n',
      openapi_spec: smallDocument,
      authentication: { type: 'apiKey', name: 'X-Key', value: 'v', ...fields },
    });
    const registration = { firebase_uid: 'line', email: 'line@example.com', full_name: 'Ada' };
    test.each<[string, string, string, (text: string) => object]>([
      ['full_name', 'POST', '/api/profiles/register', (full_name) => ({ ...registration, full_name })],
      ['company_name', 'POST', '/api/profiles/register', (company_name) => ({ ...registration, company_name })],
      ['full_name', 'PUT', '/api/profiles/me', (full_name) => ({ full_name })],
      ['company_name', 'PUT', '/api/profiles/me', (company_name) => ({ company_name })],
      ['name', 'POST', '/api/collections/', (name) => ({ name, openapi_spec: smallDocument })],
      ['name', 'PUT', `/api/collections/${unknownId}`, (name) => ({ name })],
      ['authentication.name', 'POST', '/api/collections/', (name) => withAuthentication({ name })],
      ['authentication.value', 'POST', '/api/collections/', (value) => withAuthentication({ value })],
      ['authentication.value', 'PUT', `/api/collections/${unknownId}`, (value) => withAuthentication({ value })],
    ])('%s of %s %s must not contain control characters', async (field, method, path, body) => {
      const detail = `Invalid request body: ${field} must not contain control characters, line separators or bidirectional controls`;
      const token = path.endsWith('me') ? client.token : fixtures.admin;
      for (const character of controlCharacters) {
        expectError(await call(method, path, { token, json: body(`Customer,${character}read on`) }), 400, detail);
      }
    });

    test('other strings keep their line breaks', async () => {
      const description = 'First\n\n\tthen \u202eand so on';
      const id = await fixtures.newCollection({ description });
      expect((await asAdmin('GET', `/api/collections/${id}`)).body.description).toBe(description);
    });
  });

  describe('U+0000 and lone surrogates', () => {
    const createBodies = (field: string): readonly string[] => [
      `{"${field}":"\\u0000"}`,
      `{"${field}":"\\ud800"}`,
      `{"${field}":"\\udc00\\ud800"}`,
      `{"${field}":{"a\\u0000":1}}`,
      `{"${field}":{"__proto__":{"a":"\\u0000"}}}`,
      `{"${field}":{"__proto__":"\\ud800"}}`,
      `{"${field}":{"a":"\\u0000","a":1}}`,
      `{"${field}":"\\u0000","${field}":{}}`,
      `{"${field}":{},"other":["\\u0000"]}`,
      `{"${field}":{},"\\udfff":1}`,
    ];
    test.each(
      routes
        .filter(({ body }) => body !== null && body.kind !== 'form')
        .map((route) => [`${route.method} ${route.path}`, route] as const),
    )('are rejected by %s anywhere in the body', async (_name, { method, path, auth, operation }) => {
      const options: CallOptions = auth === 'open' ? {} : { token: fixtures.admin };
      for (const raw of createBodies(operation === 'writeAuditEntry' ? 'message' : 'authentication')) {
        const reply = await call(method, path.replace(/:\w+/g, unknownId), { ...options, raw, headers: json });
        expect([raw, reply.status, reply.text]).toEqual([raw, 400, expect.stringContaining('lone surrogate')]);
      }
    });

    test('are kept in a document exactly as they were sent, like empty names', async () => {
      const document = `{"openapi":"3.0.3","info":{"title":"W","version":"1"},"paths":{},"x-\\ud800":"\\u0000","":{"":1}}`;
      const raw = `{"name":"Verbatim","openapi_spec":${document}}`;
      const createdReply = await call('POST', '/api/collections/', { token: fixtures.admin, raw, headers: json });
      expect([createdReply.status, createdReply.text]).toEqual([201, expect.stringContaining(document)]);
      const collectionReply = await asAdmin('GET', `/api/collections/${textOf(createdReply.body.id)}`);
      expect(collectionReply.text).toContain(document);
    });

    test('are plain text after an escaped backslash, and a surrogate pair is one character', async () => {
      const raw = String.raw`{"message":{"a":"\\u0000 \\ud800 \ud83d\ude00"}}`;
      const reply = await call('POST', '/api/audit/', { token: client.token, raw, headers: json });
      expect([reply.status, reply.body.message]).toEqual([201, { a: String.raw`\u0000 \ud800 😀` }]);
    });
  });

  describe('a path that cannot be percent-decoded', () => {
    const routesWithParams = routes.filter(({ params, auth }) => params && auth !== 'free');
    test.each(routesWithParams.map((route) => [`${route.method} ${route.path}`, route] as const))(
      'is a 401 for %s without a credential, and a 404 with a credential',
      async (_name, { method, path, body }) => {
        for (const part of ['%', '%ff', '%zz', '%E0%A4%A']) {
          const target = path.replace(/:\w+/g, part);
          expect((await call(method, target)).status).toBe(401);
          const validFields = body
            ? {
                ...{ role: 'client', tier: null, value: 'x', profiles: ['x'], expires_at: null, arguments: {} },
                ...{ origins: [], state: 'active', group: null, tags: [], levels: {}, expected: [] },
              }
            : undefined;
          const reply = await asAdmin(method, target, validFields);
          expect([target, reply.status, reply.text]).toEqual([target, 404, expect.stringMatching(badTarget)]);
        }
      },
    );
  });
};
