import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { OperationKey } from '../ids.ts';
import type { Json } from '../json.ts';
import { findDocumentOperation } from './document-operations.ts';
import { operationsMax, findOperationsViolation, readOperations, withSummary } from './read-operations.ts';

const keyOf = (method: string, path: string) =>
  createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 16) as OperationKey;
const read = (document: Json) => readOperations(document, keyOf);
const namesOf = (document: Json) => read(document).map(({ method, path }) => `${method} ${path}`);

test('each method of each path is an operation, in the order of the document', () => {
  const paths = { '/b': { post: {}, get: {}, trace: {} }, '/a': { delete: {}, head: {} } };
  expect(namesOf({ paths })).toEqual(['POST /b', 'GET /b', 'TRACE /b', 'DELETE /a', 'HEAD /a']);
});

test('other members of paths and path items are not operations', () => {
  const item = {
    get: {},
    parameters: [],
    servers: [],
    summary: 'A',
    description: 'B',
    GET: {},
    'x-get': {},
    connect: {},
  };
  const document = { paths: { '/a': item, '/b': { get: null, put: [], post: 7 }, 'x-c': { get: {} }, '/d': null } };
  expect(
    namesOf({ ...document, webhooks: { e: { post: {} } }, components: { callbacks: { f: { get: {} } } } }),
  ).toEqual(['GET /a']);
});

test('only local references of path items and operations are followed, including chains of them', () => {
  const document = {
    paths: {
      '/a': { $ref: '#/components/pathItems/one' },
      '/b': { get: { $ref: '#/paths/~1c/get' } },
      '/c': { get: { summary: 'Read c' } },
      '/d': { $ref: 'https://example.com/other.json#/d' },
      '/e': { $ref: '#/components/pathItems/circle' },
      '/f': { $ref: '#/nowhere' },
      '/g': { get: { $ref: './other.json' } },
    },
    components: {
      pathItems: {
        one: { $ref: '#/components/pathItems/other' },
        other: { put: { operationId: 'putA' } },
        circle: { $ref: '#/components/pathItems/circle' },
      },
    },
  };
  expect(namesOf(document)).toEqual(['PUT /a', 'GET /b', 'GET /c', 'GET /g']);
  expect(read(document).map(({ summary, operationId }) => summary ?? operationId)).toEqual([
    'putA',
    'Read c',
    'Read c',
    null,
  ]);
  expect(findDocumentOperation(document, 'PUT', '/a')?.operation).toEqual({ operationId: 'putA' });
  expect(findDocumentOperation(document, 'GET', '/a')).toBeUndefined();
  expect(findDocumentOperation(document, 'PUT', '/e')).toBeUndefined();
  expect(findDocumentOperation({ paths: { 'x-c': { get: {} } } }, 'GET', 'x-c')).toBeUndefined();
});

test('strings become plain lines of bounded length, and other values are omitted', () => {
  const operation = {
    summary: ' Read\r\nit \u202e',
    operationId: 7,
    tags: ['one', null, ' two\t', 'x'.repeat(300), ...Array.from({ length: 30 }, (_, i) => `tag ${i}`)],
    deprecated: true,
    description: 'd'.repeat(5_000),
  };
  const [firstOperation] = read({ paths: { '/a': { get: operation, put: { deprecated: 'true', summary: '  ' } } } });
  expect(firstOperation).toMatchObject({
    summary: 'Read it',
    operationId: null,
    deprecated: true,
    excerpt: 'd'.repeat(200),
  });
  expect(firstOperation?.tags.slice(0, 3)).toEqual(['one', 'two', 'x'.repeat(200)]);
  expect(firstOperation?.tags).toHaveLength(19);
  expect(read({ paths: { '/a': { put: { deprecated: 'true', summary: '  ' } } } })).toMatchObject([
    { summary: null, deprecated: false, tags: [], excerpt: '' },
  ]);
});

test('an excerpt keeps line breaks, but no characters that a store or terminal rejects', () => {
  const [operation] = read({ paths: { '/a': { get: { description: 'One.\r\n\tTwo\0\u202e \ud800' } } } });
  expect(operation?.excerpt).toBe('One.\n\tTwo \ufffd');
});

test.each([
  [{ summary: 'Read', description: 'Write.' }, 'Read'],
  [{ description: 'Read **it**. Slowly.' }, 'Read it.'],
  [{ description: 'Read it\r\nslowly' }, 'Read it slowly'],
  [{ description: 'a'.repeat(199) }, 'a'.repeat(199)],
  [{ description: `Read ${'a'.repeat(195)}` }, 'Read…'],
  [{ description: `Read\r\nit ${'a'.repeat(195)}` }, 'Read it…'],
  [{ description: '---' }, null],
  [{}, null],
])('the summary for display of %j is %j', (operation, summary) => {
  const [firstOperation] = read({ paths: { '/a': { get: operation } } });
  expect(firstOperation && withSummary(firstOperation).summary).toBe(summary);
});

test('a path that cannot be stored has no operations', () => {
  const paths = { '/a\0': { get: {} }, '/\ud800': { get: {} }, [`/${'a'.repeat(2_000)}`]: { get: {} } };
  expect(read({ paths })).toEqual([]);
  expect(read({ paths: { [`/${'a'.repeat(1_999)}`]: { get: {} } } })).toHaveLength(1);
});

const paths = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`/${i}`, { get: {} }]));

test('at most 10,000 operations of a document are read', () => {
  expect(operationsMax).toBe(10_000);
  for (const count of [9_999, 10_000, 10_001])
    expect(read({ paths: paths(count) })).toHaveLength(Math.min(count, 10_000));
});

test('one warning is given for the first operation that is not read', () => {
  for (const count of [0, 9_999, 10_000]) expect(findOperationsViolation({ paths: paths(count) })).toBeUndefined();
  for (const count of [10_001, 20_000]) {
    expect(findOperationsViolation({ paths: paths(count) })).toEqual({
      path: ['paths', '/10000', 'get'],
      message: 'and all further operations are ignored: only the first 10,000 are listed and searched',
    });
  }
});

test('operations that cannot be stored do not count towards the warning', () => {
  const unstorable = { [`/${'x'.repeat(2_000)}`]: { get: {} }, 'x-a': { get: {} } };
  expect(findOperationsViolation({ paths: { ...paths(10_000), ...unstorable } })).toBeUndefined();
});

test('a document without paths has no operations', () => {
  for (const document of [{}, { paths: null }, { paths: [] }, { paths: 'x' }, null]) expect(read(document)).toEqual([]);
});
