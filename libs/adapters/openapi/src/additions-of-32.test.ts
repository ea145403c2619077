import { expect, test } from 'vitest';
import { readDocument } from './read-document.ts';
import { readFile } from './read-file.ts';
import { unpackText } from './packed-text.ts';

const responses = { 200: { summary: 'It', content: { 'application/jsonl': { itemSchema: {} } } } };
const document = {
  openapi: '3.2.0',
  $self: 'https://pets.example/openapi.json',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example', name: 'production' }],
  tags: [{ name: 'cats', summary: 'Cats', parent: 'pets', kind: 'nav' }],
  paths: {
    '/pets': {
      get: { responses, parameters: [{ name: 'q', in: 'querystring', content: { 'text/plain': {} } }] },
      query: { responses },
      additionalOperations: { COPY: { responses } },
    },
  },
};

test('OpenAPI 3.2 is stored as sent and read as 3.1, and its additions are named', () => {
  const text = JSON.stringify(document);
  const { original, packed, digest, warnings, notices, operations } = readFile(Buffer.from(text));
  expect(original).toEqual({ version: '3.2.0', digest, packed: null });
  expect(unpackText(packed).toString()).toBe(text);
  expect(operations.map(({ method }) => method)).toEqual(['GET']);
  expect(warnings).toEqual({ total: 0, first: [] });
  expect(notices[0]).toEqual({
    pointer: '/openapi',
    message: 'is 3.2.0, which is read as 3.1: its additions are stored, but not understood',
  });
  expect(notices.map(({ pointer }) => pointer).sort()).toEqual(
    [
      '/openapi',
      '/$self',
      '/servers/0/name',
      ...['summary', 'parent', 'kind'].map((name) => `/tags/0/${name}`),
      '/paths/~1pets/get/parameters/0/in',
      '/paths/~1pets/get/responses/200/summary',
      '/paths/~1pets/get/responses/200/content/application~1jsonl/itemSchema',
      '/paths/~1pets/query',
      '/paths/~1pets/additionalOperations',
    ].sort(),
  );
});

test('a violation that is not an addition remains a violation', () => {
  const { warnings } = readFile(Buffer.from(JSON.stringify({ ...document, info: { title: 'Pets', nme: 'x' } })));
  expect(warnings.first.map(({ pointer }) => pointer)).toEqual(['/info', '/info/nme']);
});

test.each(['3.2.0', '3.2.1-rc'])('version %s is accepted only as an extra version', (openapi) => {
  const text = JSON.stringify({ ...document, openapi });
  expect(() => readDocument(Buffer.from(text), JSON.parse(text) as never)).toThrow(
    /must be a version 3\.0\.x or 3\.1\.x/,
  );
  expect(readFile(Buffer.from(text)).original?.version).toBe(openapi.slice(0, 5));
});

test.each(['3.3.0', '3.2', '3.20.1'])('version %s is rejected', (openapi) => {
  expect(() => readFile(Buffer.from(JSON.stringify({ ...document, openapi })))).toThrow(/must be a version/);
});
