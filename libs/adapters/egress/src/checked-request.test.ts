import { isPorticoError } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { checkRequest } from './checked-request.ts';

const aRequest = { method: 'GET', url: 'https://api.example.com/a?b=c', headers: [], body: null };

/** Returns the code of the error; null if the request is valid. */
const codeFor = (changes: Partial<Parameters<typeof checkRequest>[0]>): string | null => {
  try {
    checkRequest({ ...aRequest, ...changes });
    return null;
  } catch (error) {
    if (!isPorticoError(error)) throw error;
    return error.code;
  }
};

describe('a URL', () => {
  test.each([
    ...['https://user@api.example.com/', 'https://user:secret@api.example.com/', 'https://@api.example.com/'],
    ...['https://api.example.com/#part', 'https://api.example.com/#', 'https://api.example.com/?a#b'],
    ...['file:///etc/passwd', 'ftp://api.example.com/', 'ws://api.example.com/', 'javascript:alert(1)', 'data:,a'],
    ...['gopher://127.0.0.1:70/', 'unix:/var/run/docker.sock', 'http+unix://a/', '//api.example.com/', '/a', ''],
    ...['https:api.example.com', 'https:/api.example.com', 'https:///api.example.com', 'https://', 'http://?a'],
    ...['https://api.example.com:65536/', 'https://api.example.com:-1/', 'https://api.example.com:a/'],
    ...['https://api.example.com\\@127.0.0.1/', 'https:\\\\127.0.0.1\\', 'https://a\tb.example.com/'],
    ...[' https://api.example.com/', 'https://api.example.com/ ', 'https://api.example.com/a\r\nX: y', 'https://[::1'],
    ...['https://[fe80::1%25eth0]/', 'https://1.2.3.4.5/', 'https://256.0.0.1/', 'https://a b/', 'https://a\0b/'],
  ])('%j is refused', (url) => {
    expect(codeFor({ url })).toBe('upstream_unreachable');
  });

  test.each([
    ['https://api.example.com', 'https://api.example.com', '/'],
    ['HTTPS://API.Example.com:443/A', 'https://api.example.com', '/A'],
    ['http://api.example.com:8080?a=b', 'http://api.example.com:8080', '/?a=b'],
    ['https://api.example.com/a@b?c=@', 'https://api.example.com', '/a@b?c=@'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example', '/%C3%BC'],
    ['http://0x7f.1/', 'http://127.0.0.1', '/'],
    ['http://2130706433/', 'http://127.0.0.1', '/'],
    ['http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]', '/'],
  ])('%s is %s and %s', (url, origin, path) => {
    expect(checkRequest({ ...aRequest, url })).toMatchObject({ origin, path });
  });
});

describe('a method', () => {
  test.each(['CONNECT', 'TRACE', 'get', 'head', 'trace', '', 'GET /', 'GET\r\n', 'G\0T', 'A B', '-GET', 'GET-'])(
    '%j is refused',
    (method) => {
      expect(codeFor({ method })).toBe('invalid_arguments');
    },
  );

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'VERSION-CONTROL'])(
    '%s is allowed',
    (method) => {
      expect(codeFor({ method })).toBeNull();
    },
  );
});

describe('a header', () => {
  test.each([
    ...['Host', 'host', 'Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Content-Length'],
    ...[
      'Expect',
      'Proxy-Authorization',
      'proxy-connection',
      'HTTP2-Settings',
      '',
      'X A',
      'X:',
      'X\r\n',
      'X\0',
      'Ü',
      ':path',
    ],
  ])('with the name %j is refused', (name) => {
    expect(codeFor({ headers: [[name, 'value']] })).toBe('invalid_arguments');
  });

  test.each(['a\r\nX: y', 'a\nb', 'a\rb', 'a\0b', '\x7f', '\x01', '\u0100', '東京', 'a\u2028b'])(
    'with the value %j is refused',
    (value) => {
      expect(codeFor({ headers: [['X-A', value]] })).toBe('invalid_arguments');
    },
  );

  test('with spaces, tabs and Latin letters in its value is allowed', () => {
    const { headers } = checkRequest({ ...aRequest, headers: [['X-A', ' a\tü ']] });
    expect(headers).toEqual(['X-A', ' a\tü ', 'accept-encoding', 'gzip, br']);
  });

  test('for the coding is replaced', () => {
    const { headers } = checkRequest({ ...aRequest, headers: [['Accept-Encoding', 'zstd']] });
    expect(headers).toEqual(['accept-encoding', 'gzip, br']);
  });
});

test('an error for a request contains no part of it', () => {
  const requests = [
    { url: 'https://s3cret@api.example.com/' },
    { method: 's3cret' },
    { headers: [['X-s3cret\n', 's3cret']] },
    { headers: [['X', 's3cret\n']] },
    { headers: [['Proxy-s3cret', 's3cret']] },
  ] as const;
  for (const changes of requests) {
    let error: unknown;
    try {
      checkRequest({ ...aRequest, ...changes });
    } catch (thrownError) {
      error = thrownError;
    }
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).stack).not.toContain('s3cret');
  }
});

test('the connection is closed after a body that the method does not expect', () => {
  const closesAfter = (method: string, body: Uint8Array | null): boolean =>
    checkRequest({ ...aRequest, method, body }).closesConnection;
  const body = Buffer.from('a');
  expect(['GET', 'HEAD', 'DELETE', 'OPTIONS'].map((method) => closesAfter(method, body))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['POST', 'PUT', 'PATCH'].map((method) => closesAfter(method, body))).toEqual([false, false, false]);
  expect([closesAfter('GET', null), closesAfter('DELETE', Buffer.alloc(0))]).toEqual([false, false]);
});
