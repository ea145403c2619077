import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routes } from '../../src/index.ts';
import { provideSubject } from '../provide-subject.ts';
import type { Start } from '../subject.ts';

type Content = Readonly<
  Record<string, { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }>
>;

interface DocumentedOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** Tests the endpoints about the service itself, and the rules for every route. */
export const serviceSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start, {
    http: {
      accessTokens: {
        resource: 'https://portico.example.com/mcp',
        issuer: 'https://id.example.com',
        scopes: ['openid', 'email'],
      },
    },
    localIssuer: {
      getKeySet: () => ({ keys: [{ kty: 'OKP' }] }),
      createDiscoveryDocument: (baseUrl) => ({ issuer: baseUrl, jwks_uri: `${baseUrl}/.well-known/jwks.json` }),
    },
  });

  test('the health check returns exactly status and service', async () => {
    expect((await call('GET', '/health')).text).toBe('{"status":"healthy","service":"portico"}');
    expect((await call('HEAD', '/health')).status).toBe(200);
  });

  test('readiness lists the dependencies', async () => {
    const { body } = await call('GET', '/ready');
    expect(body).toMatchObject({
      status: 'ready',
      checks: { embedder: { status: 'ok' }, 'vector index': { status: 'ok' } },
    });
  });

  test('metrics are labeled with the path template', async () => {
    await call('GET', '/api/collections/11111111-1111-4111-8111-111111111111', { token: fixtures.admin });
    const { text, headers } = await call('GET', '/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/collections\/:collection_id",status="404"\} 1/,
    );
    expect(text).not.toContain('11111111-1111');
    expect(text).toContain('process_cpu_user_seconds_total');
  });

  test('metrics report waiting jobs, dead letters, and the state of dependencies', async () => {
    const readSeries = async (name: string) => {
      const { text } = await call('GET', '/metrics');
      return text.split('\n').filter((line) => line.startsWith(name));
    };
    await subject.runJobs();
    const seriesBefore = await readSeries('outbox_jobs');
    expect(seriesBefore).toEqual(['outbox_jobs{state="waiting"} 0', 'outbox_jobs{state="given_up"} 0']);
    expect(await readSeries('outbox_oldest_due_seconds')).toEqual(['outbox_oldest_due_seconds 0']);
    await fixtures.newCollection();
    expect(await readSeries('outbox_jobs{state="waiting"}')).toEqual(['outbox_jobs{state="waiting"} 2']);
    for (const name of ['rate_limiter_fallback', 'job_queue_fallback'])
      expect(await readSeries(name)).toEqual([`${name} 0`]);
    for (const line of await readSeries('dependency_up'))
      expect(line).toMatch(/^dependency_up\{dependency="[\w ]+"\} 1$/);
  });

  test('the service reports the version in package.json everywhere', async () => {
    const manifest = new URL('../../../../package.json', import.meta.url);
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
    expect((await call('GET', '/openapi.json')).body.info).toMatchObject({ version });
    expect((await call('GET', '/metrics')).text).toContain(`\nportico_build_info{version="${version}"} 1\n`);
  });

  test('the local issuer publishes its keys and their address', async () => {
    const discovery = await call('GET', '/local-issuer/.well-known/openid-configuration');
    expect(discovery.body).toMatchObject({ jwks_uri: `${subject.client.baseUrl}/.well-known/jwks.json` });
    expect((await call('GET', '/.well-known/jwks.json')).body).toEqual({ keys: [{ kty: 'OKP' }] });
  });

  test('the metadata of the MCP endpoint has the authorization server', async () => {
    const { body } = await call('GET', '/.well-known/oauth-protected-resource/mcp');
    expect(body).toMatchObject({ authorization_servers: ['https://id.example.com'] });
  });

  test('the documentation page loads everything from the service itself and has its own content security policy', async () => {
    for (const path of ['/docs', '/docs/']) {
      const page = await call('GET', path);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.headers['content-security-policy']).toContain("script-src 'self'");
      for (const [, file] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
        const part = await call('GET', file ?? '');
        expect([file, part.status]).toEqual([file, 200]);
        expect(part.bytes.length).toBeGreaterThan(0);
      }
    }
    for (const name of ['index.js', 'package.json', '..%2fpackage.json', 'constructor']) {
      expect((await call('GET', `/docs/${name}`)).status).toBe(404);
    }
  });

  test('a page explains to agents without MCP how to search, read and call', async () => {
    const { status, headers, text } = await call('GET', '/llms.txt');
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const { paths } = (await call('GET', '/openapi.json')).body as { paths: Readonly<Record<string, unknown>> };
    const mentionedPaths = [...text.matchAll(/`(?:GET|POST) (\/api\/[^`?]+)/g)].map(([, path = '']) => path);
    expect(mentionedPaths.length).toBeGreaterThan(5);
    // The paths for operations are documented by their own routes.
    for (const path of mentionedPaths.filter((mentionedPath) => !mentionedPath.includes('operation')))
      expect(Object.keys(paths)).toContain(path);
  });

  describe('the OpenAPI document', () => {
    test('lists all routes except the documentation page, each operation once', async () => {
      const document = (await call('GET', '/openapi.json')).body as {
        paths: Record<string, Record<string, { operationId: string; summary: string }>>;
      };
      const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
      const names = operations.map(({ operationId }) => operationId);
      expect(new Set(names).size).toBe(names.length);
      expect(names.sort()).toEqual(
        routes
          .filter(({ isHidden }) => !isHidden)
          .map(({ operation }) => operation)
          .sort(),
      );
      for (const { summary } of operations) expect(summary.length).toBeGreaterThan(5);
    });

    test('has no dangling references', async () => {
      const { text, body } = await call('GET', '/openapi.json');
      const { components } = body as { components: Record<string, Record<string, unknown>> };
      for (const [, kind, name] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)) {
        expect([kind, name, components[kind ?? '']?.[name ?? ''] !== undefined]).toEqual([kind, name, true]);
      }
      expect(text).not.toContain('$defs');
    });

    test('has examples that match its schemas and that the service accepts', async () => {
      const { body } = await call('GET', '/openapi.json');
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema(body, 'service');
      const mismatchesOf = (schema: object, example: unknown): string =>
        ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"service#/')) as object, example)
          ? 'fits'
          : ajv.errorsText();
      let count = 0;
      const { paths } = body as { paths: Record<string, Record<string, DocumentedOperation>> };
      for (const { operationId, requestBody, responses } of Object.values(paths).flatMap((path) =>
        Object.values(path),
      )) {
        const contents = [requestBody, ...Object.values(responses)].flatMap((part) =>
          Object.values(part?.content ?? {}),
        );
        for (const { schema, example, examples = {} } of contents) {
          for (const value of [example, ...Object.values(examples).map((entry) => entry.value)]) {
            if (value === undefined) continue;
            expect([operationId, mismatchesOf(schema, value)]).toEqual([operationId, 'fits']);
            count++;
          }
        }
        const body = routes.find(({ operation }) => operation === operationId)?.body;
        const fields = body && 'schema' in body ? body.schema : null;
        const bodyExample = requestBody?.content['application/json']?.example;
        expect([operationId, fields?.safeParse(bodyExample).success ?? true]).toEqual([operationId, true]);
      }
      expect(count).toBeGreaterThan(200);
    });
  });

  describe('every route', () => {
    test('matches with and without a trailing slash, and is case-sensitive', async () => {
      for (const { path } of routes) {
        const filledPath = path.replace(/:\w+/g, 'x').replace(/\/$/, '');
        for (const variant of [filledPath || '/', `${filledPath}/`]) {
          const reply = await call('TRACE', variant);
          expect([variant, reply.status, reply.body]).toEqual([variant, 405, { detail: 'Method not allowed' }]);
        }
        const otherCase = filledPath.replace(/\/(\w)/, (_all, first: string) => `/${first.toUpperCase()}`);
        if (otherCase !== filledPath) expect((await call('GET', otherCase)).status).toBe(404);
      }
    });

    test('lists its methods in Allow, before authentication', async () => {
      expect((await call('PATCH', '/api/profiles/me')).headers.allow).toBe('GET, HEAD, PUT');
      expect((await call('GET', '/api/profiles/register')).headers.allow).toBe('POST');
      expect((await call('OPTIONS', '/api/collections')).status).toBe(405);
    });

    test.each(['/api', '/api/collections/x/y', '/api//collections', '/%', '/%zz', '/docs/%'])(
      '%s is a 404 in JSON',
      async (path) => {
        const reply = await call('GET', path);
        expect([reply.status, reply.body]).toEqual([404, { detail: 'Not found' }]);
      },
    );

    test('rejects headers that are too large with the documented response, even without authentication', async () => {
      for (const { path, method } of routes.filter(({ auth, isHidden }) => auth === 'free' && !isHidden)) {
        const reply = await call(method, path, { headers: ['X-Large', 'x'.repeat(17_000)] });
        expect([reply.status, reply.body]).toEqual([431, { detail: 'Request headers too large' }]);
      }
    });

    test('returns the common headers and no server banner', async () => {
      for (const path of ['/health', '/nothing', '/api/collections/']) {
        const { headers } = await call('GET', path);
        expect(headers).toMatchObject({
          'content-type': 'application/json; charset=utf-8',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'referrer-policy': 'no-referrer',
          'cross-origin-resource-policy': 'same-origin',
          'cross-origin-opener-policy': 'same-origin',
          'cache-control': 'no-store',
        });
        expect(headers['x-powered-by']).toBeUndefined();
        expect(headers.etag).toBeUndefined();
      }
    });

    test('echoes a valid request id, and replaces an invalid one', async () => {
      const sendRequestId = async (requestId: string) =>
        (await call('GET', '/health', { headers: ['X-Request-Id', requestId] })).headers['x-request-id'];
      for (const validId of ['a', 'A.b_c-9', 'x'.repeat(128)]) expect(await sendRequestId(validId)).toBe(validId);
      for (const invalidId of ['', 'a b', 'x'.repeat(129), 'é', 'a"b']) {
        expect(await sendRequestId(invalidId)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
      }
    });

    test('writes one log line with the path template, the outcome and the caller, and nothing else', async () => {
      const client = await fixtures.newClient();
      const json = { query: 'a very private question' };
      await call('POST', '/api/vector/search?secret=1', {
        key: client.key,
        json,
        headers: ['X-Request-Id', 'look-here'],
      });
      await expect.poll(() => subject.listLogLines().some((line) => line.includes('look-here'))).toBe(true);
      const [line = ''] = subject.listLogLines().filter((candidate) => candidate.includes('look-here'));
      const knownFields = {
        method: 'POST',
        route: '/api/vector/search',
        status: 200,
        request_id: 'look-here',
        profile_id: client.id,
        client_id: client.key.clientId,
        level: 'info',
        msg: 'request',
      };
      const logEntry = JSON.parse(line) as object;
      expect(logEntry).toMatchObject(knownFields);
      const unknownFields = Object.keys(logEntry).filter((name) => !(name in knownFields));
      expect(unknownFields.sort()).toEqual(['address', 'hostname', 'ms', 'name', 'pid', 'time']);
      const allLines = subject.listLogLines().join('');
      for (const secret of [client.key.secret, 'private question', fixtures.admin])
        expect(allLines).not.toContain(secret);
    });

    test('writes no log line for a successful probe', async () => {
      for (const path of ['/health', '/ready', '/metrics']) {
        await call('GET', path, { headers: ['X-Request-Id', 'probe-answered'] });
        await call('POST', path, { headers: ['X-Request-Id', 'probe-refused'] });
      }
      // Log lines are written in the order that the responses end.
      await call('GET', '/openapi.json', { headers: ['X-Request-Id', 'after-the-probes'] });
      await expect.poll(() => subject.listLogLines().some((line) => line.includes('after-the-probes'))).toBe(true);
      const allLines = subject.listLogLines();
      expect(allLines.filter((line) => line.includes('probe-refused'))).toHaveLength(3);
      expect(allLines.filter((line) => line.includes('probe-answered'))).toEqual([]);
    });
  });
};
