import { describe, expect, test } from 'vitest';
import { reset, respondWith, startUpstream, type Respond } from '../test/hostile-upstream.ts';
import { openEgress, outcomeOf, sendTo, unreachable } from '../test/open-egress.ts';
import type { ExchangeReport } from './index.ts';

const closed = `${unreachable}it closed the connection before the response was complete, or sent an unexpected response`;
const ok: Respond = (socket) => socket.write(respondWith('ok'));

describe('a request arrives as it was sent', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'OPTIONS'])('%s with a body', async (method) => {
    const upstream = await startUpstream(ok);
    const headers = [
      ['X-First', 'ü'],
      ['Content-Type', 'text/plain'],
      ['x-first', 'again'],
    ] as const;
    const request = { method, headers, body: Buffer.from('some text') };
    expect(await outcomeOf(sendTo(openEgress(), `${upstream.origin}/a%20b?c=d&c=%0a`, request))).toBe('200 ok');
    const connection = ['POST', 'PUT', 'PATCH'].includes(method) ? 'keep-alive' : 'close';
    const [{ head, body } = { head: '', body: '' }] = upstream.requests;
    expect(head.split('\r\n')).toEqual([
      `${method} /a%20b?c=d&c=%0a HTTP/1.1`,
      `host: 127.0.0.1:${upstream.port}`,
      `connection: ${connection}`,
      'X-First: ü',
      'Content-Type: text/plain',
      'x-first: again',
      'accept-encoding: gzip, br',
      'content-length: 9',
    ]);
    expect(body.toString()).toBe('some text');
  });

  test.each([
    ['GET', null],
    ['HEAD', null],
    ['DELETE', null],
    ['POST', '0'],
    ['PUT', '0'],
  ])('%s without a body has the length %s', async (method, length) => {
    const upstream = await startUpstream(ok);
    await sendTo(openEgress(), upstream.origin, { method });
    expect(/^content-length: (.*)$/m.exec(upstream.requests[0]?.head ?? '')?.[1] ?? null).toBe(length);
  });

  test('a part of a larger buffer is sent alone', async () => {
    const upstream = await startUpstream(ok);
    await sendTo(openEgress(), upstream.origin, { method: 'POST', body: Buffer.from('[body]').subarray(1, 5) });
    expect(upstream.requests[0]?.body.toString()).toBe('body');
  });
});

test('the headers of a response are in lower case and in order, with each of several values', async () => {
  const upstream = await startUpstream((socket) =>
    socket.write(respondWith('ok', ['Set-Cookie: a=1', 'X-Name:  \tvalue \t', 'SET-COOKIE: b=2', 'X-Latin: \xfc'])),
  );
  const { headers } = await sendTo(openEgress(), upstream.origin);
  expect(headers).toEqual([
    ['content-length', '2'],
    ['set-cookie', 'a=1'],
    ['x-name', 'value'],
    ['set-cookie', 'b=2'],
    ['x-latin', 'Ã¼'],
  ]);
});

test('no cookie is stored', async () => {
  const upstream = await startUpstream((socket) => socket.write(respondWith('ok', ['Set-Cookie: session=1; Path=/'])));
  const egress = openEgress();
  await sendTo(egress, upstream.origin);
  await sendTo(egress, upstream.origin);
  expect(upstream.requests.map(({ head }) => /cookie/i.test(head))).toEqual([false, false]);
});

test('the proxy of the environment is not used', async () => {
  const [proxy, upstream] = [await startUpstream(ok), await startUpstream(ok)];
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'];
  const previous = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = proxy.origin;
  try {
    await sendTo(openEgress(), upstream.origin);
  } finally {
    for (const [name, value] of previous) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  expect([proxy.accepted, upstream.accepted]).toEqual([0, 1]);
});

describe('no request is repeated', () => {
  test.each<readonly [string, Respond]>([
    ['a server that closes the connection', (socket) => socket.end()],
    ['a server that resets the connection', reset],
    ['an error of the server', (socket) => socket.write(respondWith('no', ['Retry-After: 0'], '503 No'))],
    ['a redirect', (socket) => socket.write(respondWith('no', ['Location: /'], '308 No'))],
    ['a demand for credentials', (socket) => socket.write(respondWith('no', [], '401 No'))],
    ['too early', (socket) => socket.write(respondWith('no', [], '425 No'))],
  ])('after %s', async (_title, respond) => {
    const upstream = await startUpstream((socket, request, count) =>
      count === 1 ? respond(socket, request, count) : ok(socket, request, count),
    );
    const egress = openEgress();
    for (const method of ['GET', 'POST'] as const) {
      const before = upstream.requests.length;
      await outcomeOf(sendTo(egress, upstream.origin, { method }));
      expect(upstream.requests.length - before).toBe(1);
    }
  });

  test('when a connection is closed in the middle of its second exchange', async () => {
    const upstream = await startUpstream((socket, request, count) => {
      if (count === 1) ok(socket, request, count);
      else socket.destroy();
    });
    const egress = openEgress();
    expect(await outcomeOf(sendTo(egress, upstream.origin))).toBe('200 ok');
    expect(await outcomeOf(sendTo(egress, upstream.origin))).toBe(closed);
    expect([upstream.accepted, upstream.requests.length]).toEqual([1, 2]);
  });
});

describe('a response belongs to its request', () => {
  test.each<readonly [string, string]>([
    ['a second response at once', `${respondWith('first')}${respondWith('forged')}`],
    ['a second response after HEAD', `${respondWith('')}${respondWith('forged')}`],
    ['more bytes than the length', `${respondWith('first')}forged`],
    ['a body after 204', `${respondWith('', [], '204 None')}${respondWith('forged')}`],
    ['a body after 304', `HTTP/1.1 304 Same\r\nContent-Length: 6\r\n\r\n${respondWith('forged')}`],
  ])('%s is not the response to the next one', async (_title, response) => {
    const upstream = await startUpstream((socket, request) => {
      if (request.head.startsWith('GET /second')) socket.write(respondWith('second'));
      else socket.write(response);
    });
    const egress = openEgress();
    await outcomeOf(sendTo(egress, `${upstream.origin}/first`));
    expect(await outcomeOf(sendTo(egress, `${upstream.origin}/second`))).toBe('200 second');
  });

  test('a response that arrives while the connection is idle closes it', async () => {
    const upstream = await startUpstream((socket, request) => {
      if (request.head.startsWith('GET /second')) socket.write(respondWith('second'));
      else socket.write(respondWith('first'), () => setTimeout(() => socket.write(respondWith('forged')), 20));
    });
    const egress = openEgress();
    await sendTo(egress, `${upstream.origin}/first`);
    await expect.poll(() => egress.connections).toBe(0);
    expect(await outcomeOf(sendTo(egress, `${upstream.origin}/second`))).toBe('200 second');
  });

  test('a response before the body of the request was read is returned', async () => {
    const upstream = await startUpstream((socket) => socket.write(respondWith('too large', [], '413 No')), {
      isEarly: true,
      onConnection: (socket) => socket.once('data', () => socket.pause()),
    });
    const body = Buffer.alloc(1_048_576);
    const outcome = await outcomeOf(sendTo(openEgress(), upstream.origin, { method: 'POST', body }));
    expect(outcome).toBe('413 too large');
  });

  test('a half-closed connection is used for one response only', async () => {
    const upstream = await startUpstream((socket) => socket.end(respondWith('ok')));
    const egress = openEgress();
    expect(await outcomeOf(sendTo(egress, upstream.origin))).toBe('200 ok');
    await expect.poll(() => egress.connections).toBe(0);
    expect(await outcomeOf(sendTo(egress, upstream.origin))).toBe('200 ok');
    expect(upstream.accepted).toBe(2);
  });
});

describe('no error contains a part of the request', () => {
  /** Sends the request back in places that a parser quotes. */
  const echoes: readonly (readonly [string, Respond])[] = [
    ['an echo without HTTP', (socket, { head, body }) => socket.write(`${head}\r\n\r\n${body.toString()}`)],
    ['an echo in a header', (socket, { head }) => socket.write(`HTTP/1.1 200 OK\r\nX s3cret ${head}\r\n\r\n`)],
    [
      'an echo in a chunk size',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ns3cret\r\n'),
    ],
    ['an echo in a coding', (socket) => socket.write(respondWith('s3cret', ['Content-Encoding: s3cret']))],
    ['an echo that is no gzip', (socket) => socket.write(respondWith('s3cret', ['Content-Encoding: gzip']))],
    ['a reset', reset],
    ['an end', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ns3cret')],
  ];

  test.each(echoes)('%s', async (_title, respond) => {
    const upstream = await startUpstream(respond);
    const attempt = sendTo(openEgress(), `${upstream.origin}/s3cret?key=s3cret`, {
      method: 'POST',
      headers: [['Authorization', 'Bearer s3cret']],
      body: Buffer.from('s3cret'),
    });
    const [outcome] = await Promise.allSettled([attempt]);
    if (outcome.status === 'fulfilled') throw new Error('the exchange did not fail');
    expect(textOf(outcome.reason)).not.toMatch(/s3cret|736563726574|czNjcmV0/i);
  });
});

/** Returns all that an error contains, with bytes as text. */
const textOf = (error: unknown): string => {
  if (Buffer.isBuffer(error)) return error.toString('latin1');
  if (typeof error !== 'object' || error === null) return String(error);
  return Reflect.ownKeys(error)
    .map((key) => `${String(key)}: ${textOf((error as Record<PropertyKey, unknown>)[key])}`)
    .join('\n');
};

test('each exchange is reported', async () => {
  const upstream = await startUpstream((socket, request, count) =>
    count === 1 ? ok(socket, request, count) : void socket.end(),
  );
  const reports: ExchangeReport[] = [];
  const egress = openEgress({ onExchange: (report) => reports.push(report) });
  await outcomeOf(sendTo(egress, upstream.origin));
  await outcomeOf(sendTo(egress, upstream.origin));
  await outcomeOf(sendTo(egress, upstream.origin, { method: 'TRACE' }));
  expect(reports.map(({ outcome }) => outcome)).toEqual(['response', 'upstream_unreachable', 'invalid_arguments']);
  expect(reports.every(({ durationMs }) => durationMs >= 0)).toBe(true);
});
