import { readFileSync } from 'node:fs';
import type { Json } from '@portico/domain';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAcceptedByOtherValidator } from '../test/other-validator.ts';
import { createSchemaCheck } from './schema-check.ts';
import { readOfficialSchema } from './schema.ts';

type Version = '3.0' | '3.1';
const checks = {
  '3.0': createSchemaCheck(readOfficialSchema('3.0')),
  '3.1': createSchemaCheck(readOfficialSchema('3.1')),
};

const findViolations = (version: Version, members: object): string[] => {
  const document = { openapi: `${version}.0`, info: { title: 'Pets', version: '1' }, paths: {}, ...members };
  return checks[version](JSON.parse(JSON.stringify(document)) as Json).first.map(
    ({ pointer, message }) => `${pointer} ${message}`,
  );
};

const responses = { 200: { description: 'ok' } };
const operation = (members: object) => ({ paths: { '/pets': { get: { responses, ...members } } } });
const components = (kind: string, one: unknown) => ({ components: { [kind]: { one } } });

describe.each<Version>(['3.0', '3.1'])('of a %s document', (version) => {
  test.each<[string, object, string[]]>([
    ['a valid document', operation({ parameters: [{ name: 'a', in: 'query', schema: { type: 'string' } }] }), []],
    ['a missing version', { info: { title: 'Pets' } }, ["/info must have property 'version'"]],
    ['an unknown member', { pets: 1 }, ['/pets is not a known property here']],
    ['a member with an inherited name', { toString: 1 }, ['/toString is not a known property here']],
    ['an extension', { 'x-pets': [{ $ref: 1 }] }, []],
    ['a path without a slash', { paths: { pets: {} } }, ['/paths/pets is not a known property here']],
    ['a string of the wrong type', { info: { title: 'Pets', version: 1 } }, ['/info/version must be a string']],
    [
      'a parameter at an unknown location',
      operation({ parameters: [{ name: 'a', in: 'body', schema: {} }] }),
      [
        `/paths/~1pets/get/parameters/0/in must be one of ${version === '3.0' ? "'path', 'query', 'header'" : "'query', 'header', 'path'"}, 'cookie'`,
      ],
    ],
    [
      'a path parameter that is not required',
      operation({ parameters: [{ name: 'a', in: 'path', schema: {} }] }),
      ["/paths/~1pets/get/parameters/0 must have property 'required'"],
    ],
    [
      'a parameter without a schema',
      operation({ parameters: [{ name: 'a', in: 'query' }] }),
      ["/paths/~1pets/get/parameters/0 must have property 'schema' or 'content'"],
    ],
    [
      'a parameter with both schema and content',
      operation({ parameters: [{ name: 'a', in: 'query', schema: {}, content: { 'text/plain': {} } }] }),
      ["/paths/~1pets/get/parameters/0 must not have both 'schema' and 'content'"],
    ],
    [
      'a response without a description',
      operation({ responses: { 200: {} } }),
      ["/paths/~1pets/get/responses/200 must have property 'description'"],
    ],
    [
      'a reference that is not a string',
      components('responses', { $ref: 7 }),
      ['/components/responses/one/$ref must be a string'],
    ],
    [
      'a reference that is not a URI reference',
      components('parameters', { $ref: '#/components/parameters/a b' }),
      ['/components/parameters/one/$ref must be a URI reference'],
    ],
    ['dangling, circular and external references', components('responses', { $ref: 'https://a.invalid/x#/y' }), []],
    [
      'a security scheme without a type',
      components('securitySchemes', { name: 'key', in: 'header' }),
      ["/components/securitySchemes/one must have property 'type'"],
    ],
    [
      'an OAuth scheme without flows',
      components('securitySchemes', { type: 'oauth2' }),
      ["/components/securitySchemes/one must have property 'flows'"],
    ],
  ])('%s', (_name, members, expected) => {
    expect(findViolations(version, members)).toEqual(expected);
  });
});

describe('in a schema within a 3.0 document', () => {
  test.each<[string, unknown, string[]]>([
    [
      'only the deepest cause is reported',
      { properties: { a: { items: { type: 'strin' } } } },
      ["/properties/a/items/type must be one of 'array', 'boolean', 'integer', 'number', 'object', 'string'"],
    ],
    ['a schema that is a string', { properties: { a: 'string' } }, ['/properties/a must be an object']],
    [
      'additionalProperties that are a string',
      { additionalProperties: 'no' },
      ['/additionalProperties must be an object or true or false'],
    ],
    ['an empty list of required names', { required: [] }, ['/required must have at least 1 item']],
    [
      'a name that is required twice',
      { required: ['a', 'b', 'a'] },
      ['/required/2 must differ from item 0 of the list'],
    ],
    ['an invalid pattern', { pattern: '(' }, ['/pattern must be a regular expression']],
    ['a negative length', { minLength: -1 }, ['/minLength must be at least 0']],
    ['a step of zero', { multipleOf: 0 }, ['/multipleOf must be greater than 0']],
  ])('%s', (_name, schema, expected) => {
    const pointer = '/components/schemas/one';
    expect(findViolations('3.0', components('schemas', schema))).toEqual(expected.map((text) => pointer + text));
  });

  test('a bearer format with a different scheme is reported as such', () => {
    expect(
      findViolations('3.0', components('securitySchemes', { type: 'http', scheme: 'basic', bearerFormat: 'JWT' })),
    ).toEqual([
      "/components/securitySchemes/one must match one of several forms: 'scheme' must match the pattern " +
        "^[Bb][Ee][Aa][Rr][Ee][Rr]$, or must not have property 'bearerFormat'",
    ]);
  });
});

test('a callback may have an expression named like a reference', () => {
  expect(findViolations('3.0', components('callbacks', { $ref: { get: { responses } } }))).toEqual([]);
});

test('items are equal regardless of the order of their members', () => {
  const tags = [{ name: 'a', description: 'b' }, { name: 'a' }, { description: 'b', name: 'a' }];
  expect(findViolations('3.0', { tags })).toEqual(['/tags/2 must differ from item 0 of the list']);
});

test('in 3.1, a component name with a space is reported with its position', () => {
  expect(findViolations('3.1', { components: { schemas: { 'a b': {} } } })).toEqual([
    '/components/schemas/a b its name must match the pattern ^[a-zA-Z0-9._-]+$',
  ]);
});

describe('checking a document full of faults costs no more than checking one with many', () => {
  const faults = (count: number, path = 'p') =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${path}${i}`, {}]));

  test('counting stops at 10,000', () => {
    const document = { openapi: '3.0.0', info: { title: '', version: '' }, paths: faults(20_000) };
    const { total, first } = checks['3.0'](document);
    expect(total).toBe(10_000);
    expect(first).toHaveLength(20);
  });
  test('names that are too long are omitted from the pointer', () => {
    const document = { openapi: '3.0.0', info: { title: '', version: '' }, paths: faults(3, '~'.repeat(100_000)) };
    expect(checks['3.0'](document).first).toEqual([{ pointer: '/paths', message: 'is not a known property here' }]);
  });
});

test('the check knows every keyword that the official schemas use', () => {
  const source = readFileSync(new URL('./schema.ts', import.meta.url), 'utf8');
  const knownKeywords = new Set([...source.matchAll(/readonly (\$?\w+)\?:/g)].map(([, keyword]) => keyword));
  // Keywords that do not constrain a document, including comments.
  for (const ignoredKeyword of [
    '$schema',
    '$id',
    'id',
    '$comment',
    'description',
    'default',
    '$dynamicAnchor',
    '$defs',
    'definitions',
  ]) {
    knownKeywords.add(ignoredKeyword);
  }
  const usedKeywords = new Set<string>();
  const visit = (schema: unknown): void => {
    if (Array.isArray(schema)) return schema.forEach(visit);
    if (typeof schema !== 'object' || schema === null) return;
    for (const [keyword, value] of Object.entries(schema)) {
      usedKeywords.add(keyword);
      const holdsSchemas = /^(properties|patternProperties|dependentSchemas|definitions|\$defs)$/.test(keyword);
      if (holdsSchemas) Object.values(value as object).forEach(visit);
      else if (!['enum', 'const', 'default', 'required'].includes(keyword)) visit(value);
    }
  };
  visit(readOfficialSchema('3.0'));
  visit(readOfficialSchema('3.1'));
  expect([...usedKeywords].filter((keyword) => !knownKeywords.has(keyword))).toEqual([]);
});

/** A document with a bit of everything, small enough for each of its members to be broken. */
const sampleDocument = {
  openapi: '3.0.0',
  info: { title: 'Pets', version: '1', contact: { name: 'a' }, license: { name: 'b' } },
  servers: [{ url: '/', variables: { a: { default: 'b', enum: ['b'] } } }],
  tags: [{ name: 'a', externalDocs: { url: '/' } }],
  security: [{ key: [] }],
  paths: {
    '/pets': {
      parameters: [
        { $ref: '#/a' },
        { name: 'a', in: 'path', required: true, schema: { type: 'string' }, style: 'label' },
      ],
      get: {
        responses: { 200: { description: 'ok', headers: { a: { schema: {} } } }, default: { $ref: '#/b' } },
        requestBody: {
          content: {
            'a/b': {
              schema: { items: { $ref: '#/c' } },
              examples: { a: { value: 1 } },
              encoding: { a: { style: 'form' } },
            },
          },
        },
        callbacks: { a: { '{$url}': { post: { responses: { '4XX': { $ref: '#/d' } } } } }, b: { $ref: '#/e' } },
      },
    },
  },
  components: {
    schemas: {
      a: {
        type: 'object',
        required: ['b'],
        properties: { b: { additionalProperties: false } },
        oneOf: [{ $ref: '#/f' }],
      },
    },
    parameters: { a: { name: 'b', in: 'query', content: { 'a/b': { example: 1 } } } },
    links: { a: { operationId: 'b', parameters: { c: 'd' } } },
    securitySchemes: {
      key: { type: 'apiKey', name: 'k', in: 'query' },
      http: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      oauth: { type: 'oauth2', flows: { implicit: { authorizationUrl: '/', scopes: { a: 'b' } } } },
      oidc: { type: 'openIdConnect', openIdConnectUrl: '/' },
    },
  },
};

const replacements: Json[] = [
  null,
  true,
  7,
  'x',
  [],
  {},
  ['x', 'x'],
  [{}],
  { $ref: 'x' },
  { $ref: 7 },
  { type: 'http' },
  { name: 'x', in: 'header' },
];
const names = [
  '$ref',
  'type',
  'in',
  'name',
  'required',
  'schema',
  'content',
  'example',
  'examples',
  'style',
  'explode',
  'bearerFormat',
  'x-a',
  'default',
  'description',
  'url',
  'get',
  'allowEmptyValue',
  'summary',
];

/** Changes one member of a document: removes it, replaces it, or adds a member next to it. */
function mutate(document: Json, index: number, name: string, value: Json | undefined): Json {
  const copy = structuredClone(document);
  const places: { parent: Record<string, Json>; name: string }[] = [];
  const visit = (parent: Json): void => {
    if (typeof parent !== 'object' || parent === null) return;
    for (const [member, memberValue] of Object.entries(parent as Record<string, Json>)) {
      places.push({ parent: parent as Record<string, Json>, name: member });
      visit(memberValue);
    }
  };
  visit(copy);
  const place = places[index % places.length];
  const target = place && (index % 2 === 0 || Array.isArray(place.parent) ? place.name : name);
  if (!place || target === undefined) return copy;
  if (value === undefined && !Array.isArray(place.parent)) delete place.parent[target];
  else place.parent[target] = value ?? null;
  return copy;
}

test.each<Version>(['3.0', '3.1'])(
  'for any %s document, the outcome equals that of an independent validator',
  (version) => {
    const change = fc.tuple(
      fc.nat(10_000),
      fc.constantFrom(...names),
      fc.option(fc.constantFrom(...replacements), { nil: undefined }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), (changes) => {
        const start: Json = { ...sampleDocument, openapi: `${version}.0` };
        const document = changes.reduce(
          (current: Json, [index, name, value]) => mutate(current, index, name, value),
          start,
        );
        expect(checks[version](document).total === 0).toBe(isAcceptedByOtherValidator(version, document));
      }),
      { numRuns: 3_000 },
    );
  },
);
