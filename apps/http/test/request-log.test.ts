import { once } from 'node:events';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { provideSubject } from './provide-subject.ts';
import { startInMemory } from './start-in-memory.ts';
import type { Subject } from './subject.ts';

const { subject, fixtures } = provideSubject(startInMemory, { http: { trustProxy: ['127.0.0.1'] } });

type Line = Readonly<Record<string, unknown>>;
type Call = Parameters<Subject['client']['call']>;

const requestLines = (): readonly Line[] =>
  subject
    .listLogLines()
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => msg === 'request');

/** Sends a request and returns its log line, which is written after the response. */
const lineOf = async (method: Call[0], path: Call[1], options: Call[2] = {}): Promise<Line | undefined> => {
  const { headers } = await subject.client.call(method, path, options);
  const findLine = () => requestLines().find((line) => line['request_id'] === headers['x-request-id']);
  await expect.poll(findLine).toBeDefined();
  return findLine();
};

test('the log line of a request has the time, route, duration and caller, but no secret', async () => {
  const { id, key } = await fixtures.newClient();
  const headers = ['User-Agent', 'agent/1.0 ("quoted")', 'X-Forwarded-For', '203.0.113.7'];
  const line = await lineOf('POST', '/api/vector/search', { key, headers, json: { query: 'ships' } });
  expect(line).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
    pid: process.pid,
    hostname: hostname(),
    name: 'portico',
    method: 'POST',
    route: '/api/vector/search',
    status: 200,
    ms: expect.any(Number) as unknown,
    request_id: expect.any(String) as unknown,
    address: '203.0.113.7',
    user_agent: 'agent/1.0 ("quoted")',
    profile_id: id,
    client_id: key.clientId,
    msg: 'request',
  });
  expect(subject.listLogLines().join('')).not.toContain(key.secret);
});

test('the log line has no client_id for a token or a rejected key', async () => {
  const { id, token, key } = await fixtures.newClient();
  const byToken = await lineOf('GET', '/api/collections/', { token });
  expect(byToken).toMatchObject({ profile_id: id, address: '127.0.0.1' });
  expect(byToken).not.toHaveProperty('client_id');
  expect(byToken).not.toHaveProperty('user_agent');
  const wrongKey = { ...key, secret: `${key.secret.slice(0, -1)}_` };
  const rejection = await lineOf('GET', '/api/collections/', { key: wrongKey });
  expect(rejection).toMatchObject({ status: 401 });
  expect(rejection).not.toHaveProperty('client_id');
});

test.each([256, 257])('the log line has at most 256 characters of a user agent of %d', async (length) => {
  const line = await lineOf('GET', '/api/nothing', { headers: ['User-Agent', 'a'.repeat(length)] });
  expect(line?.['user_agent']).toBe('a'.repeat(256));
});

test('an unreadable request is logged with its address', async () => {
  const socket = connect(Number(new URL(subject.client.baseUrl).port), '127.0.0.1');
  socket.end('nonsense\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
  await expect
    .poll(() => requestLines().find(({ unreadable }) => unreadable === 'HPE_INVALID_METHOD'))
    .toMatchObject({ route: 'unknown', status: 400, address: '127.0.0.1' });
});
