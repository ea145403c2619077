import { expect, test } from 'vitest';
import { toCallResponse } from './call-response.ts';
import { createRedactor } from './redactor.ts';

const redactor = createRedactor(['secret']);

const toResponse = (body: string | Buffer, contentType: string, bytesMax = 1_000) =>
  toCallResponse(
    { status: 200, headers: [['content-type', contentType]], body: Buffer.from(body), isTruncated: false },
    redactor,
    bytesMax,
  );

test('a text is returned as text, in the character encoding of its media type', () => {
  expect(toResponse('{"a":"ü"}', 'application/json').body).toEqual({ text: '{"a":"ü"}' });
  expect(toResponse(Buffer.from('ü', 'latin1'), 'text/plain; charset=ISO-8859-1').body).toEqual({ text: 'ü' });
  expect(toResponse(Buffer.from('ü', 'utf16le'), 'text/plain; charset="utf-16le"').body).toEqual({ text: 'ü' });
});

test('bytes that are no text are returned in base64', () => {
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]);
  expect(toResponse(bytes, 'image/png').body).toEqual({ base64: bytes.toString('base64') });
  expect(toResponse(Buffer.from([65, 0, 66]), 'application/octet-stream').body).toEqual({ base64: 'QQBC' });
  expect(toResponse('text', 'text/plain; charset=unknown').body).toEqual({ base64: 'dGV4dA==' });
});

test('an empty body is null', () => {
  expect(toResponse('', 'text/plain').body).toBeNull();
});

test('a long body is cut at its limit, before an incomplete character', () => {
  expect(toResponse('abcdef', 'text/plain', 6)).toMatchObject({ body: { text: 'abcdef' }, isTruncated: false });
  expect(toResponse('abcdefg', 'text/plain', 6)).toMatchObject({ body: { text: 'abcdef' }, isTruncated: true });
  expect(toResponse('abcdeü', 'text/plain', 6)).toMatchObject({ body: { text: 'abcde' }, isTruncated: true });
  expect(toResponse(Buffer.from([1, 0, 2, 0xff]), 'image/png', 3)).toMatchObject({
    body: { base64: 'AQAC' },
    isTruncated: true,
  });
});

test('the secret is replaced in texts, bytes, headers, and across the limit', () => {
  expect(toResponse('your secret!', 'text/plain').body).toEqual({ text: 'your [redacted]!' });
  expect(toResponse('your secret!', 'text/plain', 8).body).toEqual({ text: 'your [redacted]' });
  const bytes = Buffer.from('\u0000secret', 'latin1');
  expect(toResponse(bytes, 'image/png').body).toEqual({ base64: btoa('\u0000[redacted]') });
  expect(
    toCallResponse(
      {
        status: 302,
        headers: [['location', 'https://x.example/?key=secret']],
        body: Buffer.from(''),
        isTruncated: false,
      },
      redactor,
      10,
    ),
  ).toEqual({
    status: 302,
    headers: { location: 'https://x.example/?key=[redacted]' },
    body: null,
    isTruncated: false,
  });
});

test('a response that was cut while it was received is marked', () => {
  const response = { status: 200, headers: [], body: Buffer.from('abc'), isTruncated: true };
  expect(toCallResponse(response, redactor, 10)).toMatchObject({ body: { text: 'abc' }, isTruncated: true });
});

test('only headers about the content, caching, paging and limits are visible', () => {
  const names = [
    'content-type',
    'link',
    'etag',
    'retry-after',
    'x-ratelimit-remaining',
    'x-rate-limit-reset',
    'ratelimit-policy',
    'x-request-id',
    'x-github-request-id',
    'x-total-count',
    'x-next-page',
    'location',
  ];
  const hiddenNames = ['set-cookie', 'server', 'x-powered-by', 'authorization', 'proxy-authenticate', 'via', 'x-key'];
  const headers = [...names, ...hiddenNames].map((name) => [name, 'value'] as const);
  const { headers: visibleHeaders } = toCallResponse(
    { status: 200, headers, body: Buffer.from(''), isTruncated: false },
    redactor,
    10,
  );
  expect(Object.keys(visibleHeaders)).toEqual(names);
});

test('the values of a header that occurs several times are joined', () => {
  const headers = [
    ['link', '<a>; rel="next"'],
    ['link', '<b>; rel="last"'],
  ] as const;
  expect(
    toCallResponse({ status: 200, headers, body: Buffer.from(''), isTruncated: false }, redactor, 10).headers,
  ).toEqual({ link: '<a>; rel="next", <b>; rel="last"' });
});
