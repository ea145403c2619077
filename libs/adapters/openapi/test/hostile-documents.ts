import {
  isPlainLine,
  type AuthenticationScheme,
  type DocumentWarning,
  type Operation,
  type ReadDocument,
} from '@portico/domain';
import { afterAll, expect, test } from 'vitest';
import { createDocumentReader } from '../src/create-document-reader.ts';

/**
 * For each part of a result, a check that the part is within its limit for any document; `bytes` is the length of the
 * text.
 */
type Bounds<Value> = { readonly [Part in keyof Value]: (part: Value[Part], bytes: number) => boolean };

const isWithin = (text: string, lengthMax: number): boolean =>
  text.length <= 2 * lengthMax && [...text].length <= lengthMax;

const schemeBounds = {
  type: (type) => ['apiKey', 'bearer', 'basic', 'none'].includes(type),
  name: (name) => name === null || (isWithin(name, 200) && isPlainLine(name)),
  in: (location) => location === null || ['header', 'query', 'cookie'].includes(location),
} satisfies Bounds<AuthenticationScheme>;

const warningBounds = {
  // A pointer has up to 2,000 characters before escaping, which at most doubles its length.
  pointer: (pointer) => pointer.length <= 4_000,
  message: (message) => isWithin(message, 501),
} satisfies Bounds<DocumentWarning>;

const operationBounds = {
  key: (key) => /^[a-z2-7]{16}$/.test(key),
  method: (method) => /^[A-Z]{3,7}$/.test(method),
  path: (path) => path.length <= 2_000 && path.isWellFormed(),
  operationId: (id) => id === null || (isWithin(id, 500) && isPlainLine(id)),
  summary: (summary) => summary === null || (isWithin(summary, 500) && isPlainLine(summary)),
  tags: (tags) => tags.length <= 20 && tags.every((tag) => isWithin(tag, 200) && isPlainLine(tag)),
  deprecated: () => true,
  excerpt: (text) => isWithin(text, 200) && text.split('\n').every((line) => isPlainLine(line.replaceAll('\t', ' '))),
} satisfies Bounds<Operation>;

const documentBounds = {
  // Incompressible data is stored with 5 extra bytes per block of several kilobytes (RFC 1951, section 3.2.4), plus 5
  // bytes for the flush.
  packed: ({ deflated, bytes }, length) => bytes === length && deflated.length <= length + 5 * (length / 8_192 + 2) + 5,
  digest: (digest) => /^[0-9a-f]{64}$/.test(digest),
  title: (title) => title === null || (title !== '' && isWithin(title, 200) && isPlainLine(title)),
  description: (text) => text === null || (isWithin(text, 10_000) && text.isWellFormed() && !text.includes('\0')),
  operations: (list) =>
    list.length <= 10_000 && list.every((operation) => findExceeded(operationBounds, operation, 0).length === 0),
  derivedDescription: (text) => isWithin(text, 600) && isPlainLine(text),
  baseUrl: (url) => url !== '' && isWithin(url, 2_048) && isPlainLine(url),
  authentication: (scheme) => findExceeded(schemeBounds, scheme, 0).length === 0,
  hasExternalReferences: () => true,
  original: (original) =>
    original === null || (/^[0-9a-f]{64}$/.test(original.digest) && original.version.length <= 20),
  notices: (notices) =>
    notices.length <= 20 && notices.every((notice) => findExceeded(warningBounds, notice, 0).length === 0),
  warnings: ({ total, first }) =>
    total <= 10_000 &&
    first.length === Math.min(total, 20) &&
    first.every((warning) => findExceeded(warningBounds, warning, 0).length === 0),
} satisfies Bounds<ReadDocument>;

/** Returns the parts that exceed their limits. */
const findExceeded = <Value extends object>(bounds: Bounds<Value>, value: Value, bytes: number): (keyof Value)[] =>
  (Object.keys(bounds) as (keyof Value)[]).filter((part) => !bounds[part](value[part], bytes));

export const expectWithinBounds = (document: ReadDocument, bytes: number): void => {
  expect(Object.keys(document).sort()).toEqual(Object.keys(documentBounds).sort());
  expect(findExceeded(documentBounds, document, bytes)).toEqual([]);
};

export const apiKey = (name: string) => ({ type: 'apiKey', in: 'header', name });
export const schemes = (securitySchemes: object) => ({ components: { securitySchemes } });
const server = (url: string, variables: object = {}) => ({ servers: [{ url, variables }] });

const operations = (count: number, operation: (index: number) => object) => ({
  paths: Object.fromEntries(Array.from({ length: count }, (_, i) => [`/things${i}/parts`, { get: operation(i) }])),
});

/** Members of a document, keyed by a description of the attack; most of them have `characterCount` characters. */
const createHostileMembers = (
  characterCount: number,
  longName = 'n'.repeat(characterCount),
): Readonly<Record<string, () => object>> => ({
  'a default that is repeated many times': () => server('{a}'.repeat(100_000), { a: { default: 'x'.repeat(4_000) } }),
  'defaults beyond the longest text that can be built': () =>
    server('{a}'.repeat(200_000), { a: { default: 'x'.repeat(400_000) } }),
  'a default of many characters': () => server('{a}', { a: { default: longName } }),
  'a variable with a long name': () => server(`{${longName}}`, { [longName]: { default: 'x' } }),
  'a server URL of many characters': () => server(longName),
  'a server URL of braces': () => server('{}'.repeat(characterCount / 2)),
  'a server URL of spaces': () => server(' '.repeat(characterCount)),
  'a server URL of control characters': () => server('\u0001'.repeat(characterCount / 10)),
  'a key with a long name': () => schemes({ k: apiKey(longName) }),
  'a key with a long name in a scheme with a long name': () => schemes({ [longName]: apiKey(longName) }),
  'a scheme with a long name that looks like a number': () =>
    schemes({ zz: {}, 1: apiKey('k'), ['7'.repeat(characterCount)]: {} }),
  'a reference with many steps': () => schemes({ k: { $ref: `#${'/a'.repeat(characterCount / 10)}` } }),
  'a title of many characters': () => ({ info: { title: longName, version: '1' } }),
  'a title of spaces and control characters': () => ({
    info: { title: ' \u0000'.repeat(characterCount / 10), version: '1' },
  }),
  'a title of characters of two UTF-16 units': () => ({
    info: { title: '🐈'.repeat(characterCount / 10), version: '1' },
  }),
  'a title of lone surrogates': () => ({ info: { title: '\ud83d'.repeat(characterCount / 10), version: '1' } }),
  'a description of many characters': () => ({ info: { title: 't', version: '1', description: longName } }),
  'a description of U+0000': () => ({
    info: { title: 't', version: '1', description: '\u0000'.repeat(characterCount / 10) },
  }),
  'too many operations': () => operations(10_001 + characterCount / 200, () => ({})),
  'summaries that are almost URLs': () =>
    operations(characterCount / 2_000, (i) => ({ summary: `${i} ${'a-b.'.repeat(500)}` })),
  'summaries of special characters': () =>
    operations(characterCount / 2_000, (i) => ({ summary: `${'@'.repeat(i)}${'<[('.repeat(500)}` })),
  'summaries that are all different': () =>
    operations(characterCount / 2_000, (i) => ({ summary: `of ${`w${i}x `.repeat(30)}` })),
  'one operation with many words for all paths': () => ({
    paths: Object.fromEntries(
      Array.from({ length: characterCount / 800 }, (_, i) => [`/${i}`, { $ref: '#/components/pathItems/all' }]),
    ),
    components: {
      pathItems: {
        all: { get: { summary: longName, operationId: longName, tags: Array(99).fill(longName.slice(0, 1_000)) } },
      },
    },
  }),
  'a summary of many characters': () => operations(1, () => ({ summary: longName, tags: [longName, '🐈'] })),
  'a large number of tags': () => ({
    tags: Array.from({ length: characterCount / 100 }, (_, i) => ({ name: `tag of ${i}` })),
  }),
  'a path of many characters': () => ({ paths: { ['/ab'.repeat(characterCount / 3)]: { get: {} } } }),
  'an unknown member with a long name': () => ({ [longName]: 1 }),
  'many faults under long names': () => ({
    paths: {
      [`/${'~'.repeat(1_990)}`]: Object.fromEntries(
        Array.from({ length: characterCount / 500 }, (_, i) => [`m${i}`, 1]),
      ),
    },
  }),
  'faults in long names in long names': () => {
    let schema: object = { type: 7 };
    for (let level = 0; level < 45; level++) schema = { properties: { ['/'.repeat(1_000)]: schema } };
    return { components: { schemas: { s: schema } } };
  },
  'faults in forms in forms': () => {
    let schema: object = { type: 7, $ref: 7 };
    for (let level = 0; level < 45; level++)
      schema = { anyOf: [schema, schema.constructor === Object ? 7 : {}], items: 7 };
    return { components: { schemas: { s: schema } } };
  },
});

/** Defines a test for each hostile document. */
export const testHostileDocuments = (characterCount: number): void => {
  const membersByTitle = createHostileMembers(characterCount);
  const reader = createDocumentReader();
  afterAll(() => reader.close());

  test.each(Object.keys(membersByTitle))('%s', async (title) => {
    const members = membersByTitle[title]?.() ?? {};
    const document = { openapi: '3.0.3', info: { title: 't', version: '1' }, paths: {}, ...members };
    const text = Buffer.from(JSON.stringify(document));
    expectWithinBounds(await reader.readFile(text), text.length);
    const result = await reader.readMember(
      Uint8Array.from(Buffer.from(`{"openapi_spec":${text.toString()}}`)),
      'openapi_spec',
      null,
    );
    if (!result.document) throw new Error('no document was read');
    const { packed, operations: operationList, ...details } = result.document;
    expectWithinBounds(result.document, packed.bytes);
    expect(JSON.stringify(operationList).length).toBeLessThan(80_000_000);
    // The facts are at most 100 kB larger than the document itself.
    expect(JSON.stringify(details).length).toBeLessThan(Math.min(text.length, 100_000) + 100_000);
  });
};
