import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { gzipSync } from 'node:zlib';
import type { CallOptions } from '../client.ts';
import { expectError } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { textOf, type Client, type Start } from '../subject.ts';

/** Tests credentials, bodies and the wire protocol itself. */
export const protocolSuite = (start: Start): void => {
  const { subject, fixtures, call } = provideSubject(start);
  let client: Client;

  beforeAll(async () => {
    client = await fixtures.newClient();
  });

  describe('credentials', () => {
    const callWith = (options: CallOptions) => call('GET', '/api/rate-limits/tiers/active/all', options);

    test.each<[string, () => CallOptions, string]>([
      ['none', () => ({}), 'Invalid or expired token'],
      ['a garbage token', () => ({ token: 'nonsense' }), 'Invalid or expired token'],
      ['another scheme', () => ({ headers: ['Authorization', 'Basic eDp5'] }), 'Invalid or expired token'],
      ['two spaces', () => ({ headers: ['Authorization', `Bearer  ${client.token}`] }), 'Invalid or expired token'],
      [
        'a token in parts',
        () => ({ headers: ['Authorization', `Bearer ${client.token} x`] }),
        'Invalid or expired token',
      ],
      ['no token', () => ({ headers: ['Authorization', 'Bearer'] }), 'Invalid or expired token'],
      ['both forms', () => ({ token: client.token, key: client.key }), 'Invalid or expired token'],
      ['half a pair', () => ({ headers: ['X-Client-ID', client.key.clientId] }), 'Invalid API credentials'],
      ['the other half', () => ({ headers: ['X-API-Key', client.key.secret] }), 'Invalid API credentials'],
      ['a secret as a token', () => ({ token: client.key.secret }), 'Invalid API credentials'],
      [
        'a token and half a pair',
        () => ({ token: client.token, headers: ['X-API-Key', client.key.secret] }),
        'Invalid or expired token',
      ],
      [
        'a repeated token',
        () => ({ token: client.token, headers: ['authorization', `Bearer ${client.token}`] }),
        'Invalid or expired token',
      ],
      [
        'a repeated key',
        () => ({ key: client.key, headers: ['x-api-key', client.key.secret] }),
        'Invalid API credentials',
      ],
      [
        'a wrong secret',
        () => ({ key: { ...client.key, secret: `${client.key.secret.slice(0, -1)}!` } }),
        'Invalid API credentials',
      ],
      ['an unknown client', () => ({ key: { ...client.key, clientId: client.id } }), 'Invalid API credentials'],
      ['a malformed client id', () => ({ key: { ...client.key, clientId: 'x' } }), 'Invalid API credentials'],
    ])('%s: 401', async (_case, options, detail) => {
      const reply = await callWith(options());
      expect([reply.status, reply.body, reply.headers['www-authenticate']]).toEqual([401, { detail }, 'Bearer']);
    });

    test.each<[string, () => CallOptions]>([
      ['a key pair', () => ({ key: client.key })],
      ['a wrong key pair', () => ({ key: { ...client.key, clientId: 'x' } })],
      ['half a pair', () => ({ headers: ['X-API-Key', client.key.secret] })],
      ['a secret as a token', () => ({ token: client.key.secret })],
    ])('%s is rejected where only tokens are accepted', async (_case, options) => {
      for (const path of ['/api/collections/', '/api/profiles/me', '/api/audit/']) {
        const reply = await call('GET', path, options());
        expect([path, reply.status, reply.body]).toEqual([path, 401, { detail: 'Identity token required' }]);
        expect(reply.headers['www-authenticate']).toBe('Bearer');
      }
    });

    test('the scheme is accepted in upper and lower case', async () => {
      for (const scheme of ['bearer', 'BEARER', 'BeArEr']) {
        expect((await callWith({ headers: ['AUTHORIZATION', `${scheme} ${client.token}`] })).status).toBe(200);
      }
    });

    test('an expired token is rejected', async ({ skip }) => {
      if (!subject.clock) return skip('the clock cannot be moved');
      const token = await subject.mint({ uid: client.uid });
      subject.clock.advance(3_600_000 + 60_000);
      expect((await callWith({ token })).status).toBe(401);
    });

    test('a token with a different email address does not take over a profile that was registered without a token', async () => {
      const person = await fixtures.register();
      const strangerToken = await subject.mint({ uid: person.uid, email: 'other@example.com' });
      expect((await call('GET', '/api/profiles/me', { token: strangerToken })).status).toBe(404);
      expect((await callWith({ token: strangerToken })).status).toBe(401);
      const token = await subject.mint({ uid: person.uid, email: person.email });
      expect((await call('GET', '/api/profiles/me', { token })).status).toBe(200);
    });
  });

  describe('bodies', () => {
    const json = ['Content-Type', 'application/json'];
    const registration = (uid: string) =>
      JSON.stringify({ firebase_uid: uid, email: `${uid}@example.com`, full_name: 'Someone' });
    const send = (raw: string | Uint8Array, headers: readonly string[] = json, isChunked = false) =>
      call('POST', '/api/profiles/register', { raw, headers, isChunked });
    const sendAndReadDetail = async (...request: Parameters<typeof send>) => {
      const reply = await send(...request);
      expect(reply.status).toBe(400);
      return textOf(reply.body.detail);
    };

    test.each([
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON;charset="UTF-8"',
      'application/json; profile=x',
    ])('%s is accepted', async (type) => {
      expect(
        (await send(registration(`type-${Buffer.from(type).toString('hex')}`), ['Content-Type', type])).status,
      ).toBe(201);
    });

    test.each([
      ['text/plain', 'Content-Type must be application/json'],
      ['application/x-www-form-urlencoded', 'Content-Type must be application/json'],
      ['application/json; charset=latin1', 'the charset must be utf-8'],
      [null, 'Content-Type must be application/json; it is missing'],
    ])('%s is not accepted', async (type, reason) => {
      const headers = type === null ? [] : ['Content-Type', type];
      expect(await sendAndReadDetail('{}', headers)).toBe(`Invalid request body: ${reason}`);
      expect(await sendAndReadDetail('{}', headers, true)).toBe(`Invalid request body: ${reason}`);
    });

    test('a compressed body is rejected', async () => {
      expect(await sendAndReadDetail(gzipSync('{}'), [...json, 'Content-Encoding', 'gzip'])).toContain('compressed');
    });

    test.each([
      ['{"a":1', 'unexpected end of the JSON text at line 1, column 7'],
      ['{"a":1,}', 'unexpected "}" at line 1, column 8'],
      ['{\n  a: 1}', 'unexpected "a" at line 2, column 3'],
      ['{} x', 'unexpected "x" at line 1, column 4'],
      ['{"a":01}', 'unexpected "1" at line 1, column 7'],
      ['{"a":"\t"}', 'unexpected "\\t" at line 1, column 7'],
      ['{"a":"\\x"}', 'unexpected "\\\\" at line 1, column 7'],
      ['nul', 'unexpected "n" at line 1, column 1'],
      [' ', 'unexpected end of the JSON text at line 1, column 2'],
      ['[]', 'a JSON object is expected'],
      ['"text"', 'a JSON object is expected'],
      ['null', 'a JSON object is expected'],
      ['5', 'a JSON object is expected'],
      ['{"__proto__":{"role":"admin"}}', '__proto__ is not allowed'],
      ['{"constructor":1}', 'constructor is not allowed'],
    ])('%s is rejected with a reason', async (raw, reason) => {
      expect(await sendAndReadDetail(raw)).toBe(`Invalid request body: ${reason}`);
    });

    test('invalid UTF-8 is rejected, but a byte order mark is accepted', async () => {
      expect(await sendAndReadDetail(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toBe(
        'Invalid request body: the body is not valid UTF-8',
      );
      expect((await send(`\uFEFF${registration('bom')}`)).status).toBe(201);
    });

    test('an empty body counts as absent, regardless of its media type', async () => {
      for (const headers of [[], ['Content-Type', 'text/plain']]) {
        expect(await sendAndReadDetail('', headers)).toBe('Invalid request body: firebase_uid is required');
        expect(await sendAndReadDetail('', headers, true)).toBe('Invalid request body: firebase_uid is required');
      }
    });

    test('256 KiB are accepted, and one more byte is a 413, both with Content-Length and chunked', async () => {
      const padRegistration = (uid: string, bytes: number) => registration(uid).padEnd(bytes, ' ');
      expect((await send(padRegistration('limit-1', 262_144))).status).toBe(201);
      expect((await send(padRegistration('limit-2', 262_144), json, true)).status).toBe(201);
      for (const isChunked of [false, true]) {
        const reply = await send(padRegistration('limit-3', 262_145), json, isChunked);
        expectError(reply, 413, 'Request body too large: at most 262144 bytes are accepted');
      }
    });

    test('a route that does not expect a body ignores it', async () => {
      const reply = await call('GET', '/health', { raw: 'x'.repeat(100_000), headers: ['Content-Type', 'text/plain'] });
      expect(reply.status).toBe(200);
      expect((await call('GET', '/health')).status).toBe(200);
    });

    test('credentials and the role are checked before the body', async () => {
      const options = { raw: '{', headers: json };
      const [clientToken, adminToken] = [
        await subject.mint({ uid: client.uid }),
        await subject.mint({ uid: 'first-admin' }),
      ];
      expect((await call('POST', '/api/collections/', options)).status).toBe(401);
      expect((await call('POST', '/api/collections/', { ...options, token: clientToken })).status).toBe(403);
      expect((await call('POST', '/api/collections/', { ...options, token: adminToken })).status).toBe(400);
    });
  });

  describe('the wire', () => {
    const createRegistrationRequest = (headers: string): string =>
      `POST /api/profiles/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;
    /** Sends `text`, and `lateText` once the first data has been received; returns the received text. */
    const exchange = (text: string, lateText = ''): Promise<string> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(subject.client.baseUrl);
        const socket = connect(Number(port), hostname, () => socket.write(text));
        let output = '';
        socket.once('data', () => socket.write(lateText));
        socket.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
        socket.on('close', () => resolve(output));
        socket.on('error', reject);
      });
    const errorPattern = /^HTTP\/1\.1 (\d+) [\s\S]*\r\n\r\n\{"detail":"[^"]+"\}$/;
    const statusesIn = (output: string) => [...output.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    const requestIds = /^X-Request-Id: (\S+)\r$/gm;
    const linesOf = (requestId: string | undefined) =>
      subject.listLogLines().filter((line) => line.includes(`"request_id":"${requestId}"`));

    test.each([
      ['nonsense', 'nonsense\r\n\r\n', '400'],
      ['no Host', 'GET /health HTTP/1.1\r\n\r\n', '400'],
      ['no Host, with Expect', 'GET /health HTTP/1.1\r\nExpect: 100-continue\r\n\r\n', '400'],
      ['an empty Host', 'GET /health HTTP/1.1\r\nHost:\r\n\r\n', '400'],
      ['an invalid Host', 'GET /health HTTP/1.1\r\nHost: a/b\r\n\r\n', '400'],
      ['two Hosts', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n', '400'],
      ['two Host headers in HTTP/1.0', 'GET /health HTTP/1.0\r\nHost: localhost\r\nhost: y\r\n\r\n', '400'],
      ['an invalid chunked body', `${createRegistrationRequest('Transfer-Encoding: chunked')}{}\r\n`, '400'],
      ['two lengths', 'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', '400'],
      [
        'a length and chunks',
        'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
        '400',
      ],
      ['a malformed header', 'GET / HTTP/1.1\r\nHost: localhost\r\nBad header\r\n\r\n', '400'],
      ['endless headers', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ])('%s is rejected with a JSON error, and the connection is closed', async (_case, text, status) => {
      const output = await exchange(text);
      expect(errorPattern.exec(output)?.[1]).toBe(status);
      expect(output).toMatch(/^Connection: close\r$/m);
      // Each request is logged with the request id from its response.
      const ids = [...output.matchAll(requestIds)].map(([, id]) => id);
      expect(ids).toHaveLength(1);
      await expect.poll(() => linesOf(ids[0])).toMatchObject([expect.stringContaining(`"status":${status}`)]);
      const metrics = (await call('GET', '/metrics')).text;
      expect(metrics).toMatch(
        new RegExp(`^http_request_duration_seconds_count\\{.*status="${status}".*\\} [1-9]`, 'm'),
      );
    });

    test('a Host may have a port or be an IPv6 address, and HTTP/1.0 needs no Host', async () => {
      for (const host of ['example.com:8080', '[::1]:3000', '127.0.0.1', 'a-b_c.example'])
        expect(await exchange(`GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
          /^HTTP\/1\.1 200 /,
        );
      expect(await exchange('GET /health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    });

    test('the request id in the headers of an unreadable request is returned', async () => {
      const head = createRegistrationRequest('Transfer-Encoding: chunked\r\nX-Request-Id: told-1');
      expect([...(await exchange(`${head}{}\r\n`)).matchAll(requestIds)]).toMatchObject([{ 1: 'told-1' }]);
      await expect.poll(() => linesOf('told-1')).toHaveLength(1);
    });

    test('a complete request gets its response, even if invalid data follows it', async () => {
      const body = JSON.stringify({ firebase_uid: 'piped', email: 'piped@example.com', full_name: 'Piped' });
      const head = createRegistrationRequest(`Content-Length: ${body.length}`);
      expect(statusesIn(await exchange(`${head}${body}nonsense\r\n\r\n`))).toEqual(['201', '400']);
      // A malformed body that no route reads gets no response.
      expect(
        statusesIn(await exchange('GET /health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n{}')),
      ).toEqual(['200']);
    });

    test('if a body becomes malformed after its request was rejected, no second response is sent', async () => {
      const incompleteRequest =
        'POST /api/collections/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n';
      expect(statusesIn(await exchange(incompleteRequest, 'nonsense\r\n'))).toEqual(['401']);
    });

    test('a client that waits for 100 Continue gets an early response', async () => {
      const createHead = (length: number, extraHeaders = '') =>
        `POST /api/profiles/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n` +
        `Expect: 100-continue\r\n${extraHeaders}\r\n`;
      const rejection = await exchange(createHead(262_145));
      expect(rejection).toMatch(/^HTTP\/1\.1 413 /);
      // Node cannot know whether the body follows, so it closes the connection.
      expect(rejection).toMatch(/^Connection: close\r$/m);
      expect(await exchange(`${createHead(2, 'Connection: close\r\n')}{}`)).toMatch(
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /,
      );
    });
  });
};
