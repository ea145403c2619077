import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { reset, respondWith, startUpstream } from '../test/hostile-upstream.ts';
import { openEgress, outcomeOf, sendTo, unreachable } from '../test/open-egress.ts';

interface Case {
  readonly response: string | Buffer;
  /** How the server goes on: it stays silent by default. */
  readonly ending?: (socket: Socket) => void;
  readonly method?: string;
  readonly expected: string;
}

const end = (socket: Socket): void => void socket.end();
const notHttp = `${unreachable}its response does not follow HTTP/1.1`;
const closed = `${unreachable}it closed the connection before the response was complete, or sent an unexpected response`;
const wasReset = `${unreachable}it reset the connection`;
const notHttpOrLength = `${notHttp}, or its body is not as long as its Content-Length`;
const tooLongHeaders = `${unreachable}the headers of its response are too long`;
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

const locations = [
  'http://169.254.169.254/latest/meta-data/',
  'http://127.0.0.1:22/',
  'file:///etc/passwd',
  '//[::1]/',
  '/again',
];
const redirects = Object.fromEntries(
  ['301', '302', '303', '307', '308'].flatMap((status) =>
    locations.map((location): [string, Case] => [
      `a redirect with ${status} to ${location} is a response`,
      { response: respondWith('moved', [`Location: ${location}`], `${status} Moved`), expected: `${status} moved` },
    ]),
  ),
);

const complete: Record<string, Case> = {
  'HTTP/1.0 with a length': { response: 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', expected: '200 ok' },
  'HTTP/1.0 without a length, closed': { response: 'HTTP/1.0 200 OK\r\n\r\nok', ending: end, expected: '200 ok' },
  'HTTP/1.1 without a length, closed': { response: 'HTTP/1.1 200 OK\r\n\r\nok', ending: end, expected: '200 ok' },
  'no reason phrase': { response: 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok', expected: '200 ok' },
  'a status that nothing defines': { response: respondWith('ok', [], '799 Odd'), expected: '799 ok' },
  'an error of the server': { response: respondWith('no', [], '500 Oh'), expected: '500 no' },
  'a demand for credentials': {
    response: respondWith('no', ['WWW-Authenticate: Basic'], '401 No'),
    expected: '401 no',
  },
  'too many requests': { response: respondWith('no', ['Retry-After: 3600'], '429 No'), expected: '429 no' },
  'an empty body': { response: respondWith(''), expected: '200' },
  chunks: { response: `${chunked}2\r\nok\r\n0\r\n\r\n`, expected: '200 ok' },
  'chunks with extensions': { response: `${chunked}2;a=b;c="d"\r\nok\r\n0;e\r\n\r\n`, expected: '200 ok' },
  'chunks with trailers': { response: `${chunked}2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n`, expected: '200 ok' },
  'chunk sizes with zeros': { response: `${chunked}0000002\r\nok\r\n0\r\n\r\n`, expected: '200 ok' },
  'two interim responses': {
    response: `HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n${respondWith('ok')}`,
    expected: '200 ok',
  },
  '204 with a body': { response: respondWith('body', [], '204 None'), expected: '204' },
  '304 with a body': { response: respondWith('body', [], '304 Same'), expected: '304' },
  'HEAD with a body': { response: respondWith('body'), method: 'HEAD', expected: '200' },
  'data after the response': { response: `${respondWith('ok')}HTTP/1.1 200 OK\r\n\r\nmore`, expected: '200 ok' },
  'a reset after the response': { response: respondWith('ok'), ending: reset, expected: '200 ok' },
  'a header without a value': { response: respondWith('ok', ['X-Empty:']), expected: '200 ok' },
};

const broken: Record<string, Case> = {
  'closes without a byte': { response: '', ending: end, expected: closed },
  'resets without a byte': { response: '', ending: reset, expected: wasReset },
  'closes in the status line': { response: 'HTTP/1.1 20', ending: end, expected: closed },
  'closes in the headers': { response: 'HTTP/1.1 200 OK\r\nX-A: b\r\n', ending: end, expected: closed },
  'closes in the body': { response: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', ending: end, expected: closed },
  'closes in a chunk': { response: `${chunked}9\r\nok`, ending: end, expected: closed },
  'closes before the last chunk': { response: `${chunked}2\r\nok\r\n`, ending: end, expected: closed },
  'closes in the body of HTTP/1.0': {
    response: 'HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nok',
    ending: end,
    expected: notHttpOrLength,
  },
  'HTTP/0.9': { response: '<html>hello</html>', ending: end, expected: notHttp },
  SSH: { response: 'SSH-2.0-OpenSSH_9.6\r\n', expected: notHttp },
  'HTTP/2 without TLS': { response: Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), expected: notHttp },
  'an unknown version': { response: 'HTTP/3.7 200 OK\r\n\r\n', expected: notHttp },
  'a status with four digits': { response: 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n', expected: notHttp },
  'a status without digits': { response: 'HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n', expected: notHttp },
  'a header name with a space': { response: respondWith('ok', ['X A: b']), expected: notHttpOrLength },
  'a space before the colon': { response: respondWith('ok', ['X-A : b']), expected: notHttpOrLength },
  'a header with NUL': { response: respondWith('ok', ['X-A: \0']), expected: notHttpOrLength },
  'a header with CR': { response: respondWith('ok', ['X-A: b\rX-B: c']), expected: notHttpOrLength },
  'a folded header': { response: respondWith('ok', ['X-A: b', ' c']), expected: notHttpOrLength },
  'bare LF': { response: 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', expected: notHttp },
  'two lengths': { response: respondWith('ok', ['Content-Length: 3']), expected: notHttpOrLength },
  'the same length twice': { response: respondWith('ok', ['Content-Length: 2']), expected: notHttpOrLength },
  'a list of lengths': { response: 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok', expected: notHttpOrLength },
  'a negative length': { response: 'HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok', expected: notHttp },
  'a length beyond 64 bits': {
    response: 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nok',
    expected: notHttpOrLength,
  },
  'a length and chunks': { response: respondWith('ok', ['Transfer-Encoding: chunked']), expected: notHttpOrLength },
  'chunks and a length': {
    response: `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    expected: notHttp,
  },
  'a chunk size that is no number': { response: `${chunked}x\r\nok\r\n0\r\n\r\n`, expected: notHttp },
  'a negative chunk size': { response: `${chunked}-2\r\nok\r\n0\r\n\r\n`, expected: notHttp },
  'a chunk size beyond 64 bits': { response: `${chunked}fffffffffffffffff\r\nok`, expected: notHttp },
  'a chunk that is longer than its size': { response: `${chunked}1\r\nok\r\n0\r\n\r\n`, expected: notHttp },
  'a switch of protocols': {
    response: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    expected: closed,
  },
  'one huge header': { response: respondWith('ok', [`X-A: ${'a'.repeat(20_000)}`]), expected: tooLongHeaders },
  'huge trailers': {
    response: `${chunked}2\r\nok\r\n0\r\n${`X-A: ${'a'.repeat(1_000)}\r\n`.repeat(20)}\r\n`,
    expected: tooLongHeaders,
  },
  '1000 small headers': {
    response: respondWith(
      'ok',
      Array.from({ length: 1_000 }, () => 'a:1'),
    ),
    expected: `${unreachable}its response has too many headers`,
  },
  '1000 interim responses': {
    response: `${'HTTP/1.1 103 Hints\r\n\r\n'.repeat(1_000)}${respondWith('ok')}`,
    expected: `${unreachable}it sends too many interim responses`,
  },
  'an interim response that was not requested': {
    response: `HTTP/1.1 100 Continue\r\n\r\n${respondWith('ok')}`,
    expected: closed,
  },
};

const run = async ({ response, ending, method = 'GET' }: Case): Promise<string> => {
  const upstream = await startUpstream((socket) => {
    if (!ending) socket.write(response);
    else if (response.length > 0) socket.write(response, () => ending(socket));
    else ending(socket);
  });
  return outcomeOf(sendTo(openEgress(), `${upstream.origin}/`, { method }));
};

describe('a complete response is returned', () => {
  test.each(Object.entries({ ...complete, ...redirects }))('%s', async (_title, example) => {
    expect(await run(example)).toBe(example.expected);
  });
});

describe('a response that breaks the rules of HTTP is an error', () => {
  test.each(Object.entries(broken))('%s', async (_title, example) => {
    expect(await run(example)).toBe(example.expected);
  });

  test('a reset in a body without a length', async () => {
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\nok');
      // The first bytes have to arrive before the reset, which would discard them.
      setTimeout(() => reset(socket), 50);
    });
    const outcome = await outcomeOf(sendTo(openEgress(), upstream.origin));
    expect(outcome).toBe(`${unreachable}it reset the connection before the response was complete`);
  });

  test('a reset in a body with a length', async () => {
    const upstream = await startUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok');
      setTimeout(() => reset(socket), 50);
    });
    expect(await outcomeOf(sendTo(openEgress(), upstream.origin))).toBe(wasReset);
  });
});
