import { describe, expect, test } from 'vitest';
import type { ApiCredential } from './credentials.ts';
import type { PreparedRequest } from './prepare-request.ts';
import { toSampleRequest } from './sample-request.ts';

const credential = (fields: Partial<ApiCredential>): ApiCredential => ({
  scheme: 'scheme',
  type: 'apiKey',
  in: 'header',
  name: 'X-Key',
  prefix: null,
  scopes: [],
  tokenUrl: null,
  hint: null,
  isStored: true,
  ...fields,
});
const bearer = credential({ type: 'bearer', name: 'Authorization', prefix: 'Bearer ' });

const prepared = (fields: Partial<PreparedRequest>): PreparedRequest => ({
  method: 'POST',
  url: 'https://pets.example/v1/pets',
  headers: [],
  body: null,
  credentials: [],
  curl: null,
  warnings: [],
  ...fields,
});

describe('a sample request', () => {
  test.each<[string, Partial<PreparedRequest>, object]>([
    ['a header', { credentials: [bearer] }, { headers: [['Authorization', 'Bearer ACCESS_TOKEN']] }],
    [
      'a header, with Basic',
      { credentials: [{ ...bearer, type: 'basic', prefix: 'Basic ' }] },
      { headers: [['Authorization', 'Basic BASE64_OF_USER_AND_PASSWORD']] },
    ],
    [
      'the query',
      { url: 'https://pets.example/v1/pets?a=1', credentials: [credential({ in: 'query', name: 'the key' })] },
      { url: 'https://pets.example/v1/pets?a=1&the%20key=API_KEY' },
    ],
    [
      'the cookie, after its other pairs',
      { headers: [['Cookie', 'a=1']], credentials: [credential({ in: 'cookie', name: 'session' })] },
      { headers: [['Cookie', 'a=1; session=API_KEY']] },
    ],
    [
      'a cookie of its own',
      { credentials: [credential({ in: 'cookie', name: 'session' })] },
      { headers: [['Cookie', 'session=API_KEY']] },
    ],
    [
      'two headers, with placeholders of different names',
      { credentials: [credential({}), credential({ name: 'X-App' })] },
      {
        headers: [
          ['X-Key', 'X_KEY'],
          ['X-App', 'X_APP'],
        ],
      },
    ],
    ['no place, if it is not a part of the request', { credentials: [credential({ in: null })] }, { headers: [] }],
  ])('has the placeholder of a credential in %s', (_, fields, expected) => {
    expect(toSampleRequest(prepared(fields))).toMatchObject(expected);
  });

  test('has a header once, with the value that the caller set', () => {
    const request = prepared({ headers: [['authorization', 'Bearer mine']], credentials: [bearer] });
    expect(toSampleRequest(request)?.headers).toEqual([['authorization', 'Bearer mine']]);
  });

  test('has a placeholder for a host that the document does not name', () => {
    expect(toSampleRequest(prepared({ url: '/v1/pets' }))?.url).toBe('https://HOST/v1/pets');
  });

  test('is null for a protocol other than HTTP', () => {
    expect(toSampleRequest(prepared({ url: 'wss://pets.example/v1' }))).toBeNull();
  });

  test('has a body, except with HEAD', () => {
    const fields = { headers: [['Content-Type', 'text/plain'] as const], body: { text: 'a' } };
    expect(toSampleRequest(prepared(fields))).toMatchObject(fields);
    expect(toSampleRequest(prepared({ ...fields, method: 'HEAD' }))).toMatchObject({ headers: [], body: null });
  });
});
