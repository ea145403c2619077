import type { JsonObject } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { createDocument, describeCall, headerOf, textOf } from './described-call.ts';

const body = (mediaType: string, content: object, required = true) => ({
  requestBody: { required, content: { [mediaType]: content } },
});
const list = { type: 'array', items: { type: 'string' } };

describe('a parameter is written by its style', () => {
  const queryOf = (parameter: object, value: unknown): string => {
    const parameters = [{ name: 'p', in: 'query', required: true, ...parameter }];
    const { url } = describeCall(createDocument({ parameters }, { method: 'get' }), 'GET /things').prepare({
      p: value,
    });
    return (url.split(/\?(.*)/s)[1] ?? '').replaceAll('%5B', '[').replaceAll('%5D', ']');
  };
  const map = { type: 'object', additionalProperties: { type: 'string' } };

  test.for([
    [{ schema: list }, ['a b', 'c'], /^p=a(%20|\+)b&p=c$/],
    [{ schema: list, explode: false }, ['a', 'b,c'], /^p=a,b%2Cc$/],
    [{ schema: list, style: 'spaceDelimited', explode: false }, ['a', 'b'], /^p=a%20b$/],
    [{ schema: list, style: 'pipeDelimited', explode: false }, ['a', 'b'], /^p=a(\||%7C)b$/],
    [{ schema: map, style: 'deepObject', explode: true }, { color: 'red', size: 'L' }, /^p\[color\]=red&p\[size\]=L$/],
    [{ schema: map }, { color: 'red' }, /^color=red$/],
    [{ schema: map, explode: false }, { color: 'red' }, /^p=color,red$/],
    [{ schema: { type: 'string' }, allowReserved: true }, 'a/b?c=1', /^p=a\/b\?c(=|%3D)1$/],
    [{ schema: { type: 'string' } }, 'a&b=ü', /^p=a%26b%3D%C3%BC$/],
    [{ content: { 'application/json': { schema: map } } }, { a: 'b' }, /^p=%7B%22a%22%3A%22b%22%7D$/],
  ] as const)('%j', ([parameter, value, pattern]) => {
    expect(queryOf(parameter, value)).toMatch(pattern);
  });

  test('in headers and cookies', () => {
    const parameters = [
      { name: 'X-Ids', in: 'header', required: true, schema: { type: 'array', items: { type: 'integer' } } },
      { name: 'theme', in: 'cookie', required: true, schema: { type: 'string' } },
      { name: 'lang', in: 'cookie', required: true, schema: { type: 'string' } },
    ];
    const call = describeCall(createDocument({ parameters }, { method: 'get' }), 'GET /things');
    const request = call.prepare({ [call.keyOf('header', 'X-Ids')]: [1, 2], theme: 'dark', lang: 'de' });
    expect(headerOf(request, 'X-Ids')).toMatch(/^1, ?2$/);
    expect(headerOf(request, 'Cookie')).toBe('theme=dark; lang=de');
    expect(headerOf(call.curl, 'Cookie')).toMatch(/^theme=.+; lang=.+$/);
  });

  test('and the tool says which one it is', () => {
    const parameters = [{ name: 'p', in: 'query', style: 'deepObject', explode: true, schema: map }];
    const { tool, slice } = describeCall(createDocument({ parameters }, { method: 'get' }), 'GET /things');
    expect(tool.input_schema.properties['p']).toMatchObject({
      'x-portico-style': 'deepObject',
      'x-portico-explode': true,
    });
    expect(slice.parameters[0]).toMatchObject({ style: 'deepObject', explode: true });
  });

  test('look-alike names are different arguments and placeholders', () => {
    const names = ['filter[name]', 'filter.name', 'filter-name'];
    const parameters = [...names, 'ä', 'ö'].map((name) => ({
      name,
      in: 'query',
      required: true,
      schema: { type: 'string' },
    }));
    const call = describeCall(createDocument({ parameters }, { method: 'get' }), 'GET /things');
    const keys = Object.keys(call.tool.input_schema.properties);
    expect(new Set(keys).size).toBe(5);
    const values = [...new URL(call.curl.url).searchParams.values()];
    expect(new Set(values).size).toBe(5);
    const { url } = call.prepare(Object.fromEntries(keys.map((key, index) => [key, `v${index}`])));
    expect([...new URL(url).searchParams]).toEqual([...names, 'ä', 'ö'].map((name, index) => [name, `v${index}`]));
  });
});

describe('a body is written in its media type', () => {
  test('a merge patch', () => {
    const content = { schema: { type: 'object', properties: { a: { type: ['string', 'null'] } } } };
    const call = describeCall(
      createDocument(body('application/merge-patch+json', content), { method: 'patch' }),
      'PATCH /things',
    );
    expect(call.tool.request?.content_type).toBe('application/merge-patch+json');
    expect(headerOf(call.curl, 'Content-Type')).toBe('application/merge-patch+json');
    expect(call.prepare({ a: null })).toMatchObject({ method: 'PATCH', body: { text: '{"a":null}' } });
  });

  test('XML, from its example', () => {
    const call = describeCall(
      createDocument(body('application/xml', { schema: { type: 'object' }, example: '<thing id="1"/>' })),
      'POST /things',
    );
    expect(headerOf(call.curl, 'Content-Type')).toBe('application/xml');
    expect(call.curl.body).toBe('<thing id="1"/>');
    expect(call.prepare({ body: '<thing/>' })).toMatchObject({ body: { text: '<thing/>' } });
  });

  test('a file', () => {
    const call = describeCall(createDocument(body('image/png', {})), 'POST /things');
    expect(call.curl.body).toMatch(/^@/);
    const request = call.prepare({ body: 'data:image/png;base64,AAH/' });
    expect(textOf(request)).toBe('\x00\x01\xff');
    expect(headerOf(request, 'Content-Type')).toBe('image/png');
  });

  test('a list of files with a JSON part', () => {
    const properties = {
      files: { type: 'array', items: { type: 'string', contentMediaType: 'image/png' } },
      meta: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } },
    };
    const content = { schema: { type: 'object', required: ['files', 'meta'], properties } };
    const call = describeCall(createDocument(body('multipart/form-data', content)), 'POST /things');
    const names = call.curl.fields.map(({ name, value }) => `${name}=${value}`);
    expect(names).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^files=@/),
        expect.stringMatching(/^meta=\{.*;type=application\/json$/),
      ]),
    );
    const text = textOf(call.prepare({ files: ['AAH/', 'AAI='], meta: [{ a: 1 }] }));
    expect(text.match(/name="files"; filename=/g)).toHaveLength(2);
    expect(text).toMatch(/name="meta"\r\nContent-Type: application\/json\r\n\r\n\{"a":1\}/i);
  });

  test('a response that is not JSON is named in "Accept"', () => {
    const responses = { 201: { description: 'ok', content: { 'application/pdf': {}, 'image/png': {} } } };
    const call = describeCall(createDocument({ responses }, { method: 'get' }), 'GET /things');
    for (const accept of [call.slice.accept, headerOf(call.curl, 'Accept'), headerOf(call.prepare({}), 'Accept')])
      expect(accept?.split(/, ?/).sort()).toEqual(['application/pdf', 'image/png']);
  });
});

describe('a schema keeps all that its document says', () => {
  const callWith = (schema: object, components: object = {}) =>
    describeCall(createDocument(body('application/json', { schema }), { components }), 'POST /things');

  test('two enums and bounds of an allOf narrow each other', () => {
    const parts = [
      {
        type: 'object',
        properties: { kind: { enum: ['a', 'b', 'c'] }, size: { type: 'integer', minimum: 1, maximum: 9 } },
      },
      {
        type: 'object',
        required: ['kind'],
        properties: { kind: { enum: ['b', 'c', 'd'] }, size: { minimum: 3, maximum: 20 } },
      },
    ];
    const call = callWith({ allOf: parts });
    expect(call.acceptsBody({ kind: 'b', size: 3 })).toBe(true);
    for (const wrong of [{ kind: 'a' }, { kind: 'd' }, { kind: 'b', size: 2 }, { kind: 'b', size: 10 }, { size: 4 }])
      expect(call.acceptsBody(wrong), JSON.stringify(wrong)).toBe(false);
  });

  test('a discriminator without mapping has the names of the schemas, also below an allOf', () => {
    const components = {
      schemas: {
        Shape: {
          type: 'object',
          required: ['type'],
          properties: { type: { type: 'string' } },
          discriminator: { propertyName: 'type' },
        },
        Round: {
          allOf: [
            { $ref: '#/components/schemas/Shape' },
            { type: 'object', properties: { colour: { type: 'string' } } },
          ],
        },
        Circle: {
          allOf: [{ $ref: '#/components/schemas/Round' }, { required: ['r'], properties: { r: { type: 'number' } } }],
        },
        Square: {
          allOf: [
            { $ref: '#/components/schemas/Shape' },
            { required: ['side'], properties: { side: { type: 'number' } } },
          ],
        },
        Picture: {
          oneOf: [{ $ref: '#/components/schemas/Circle' }, { $ref: '#/components/schemas/Square' }],
          discriminator: { propertyName: 'type' },
        },
      },
    };
    const call = callWith({ $ref: '#/components/schemas/Picture' }, components);
    expect(call.acceptsBody({ type: 'Circle', r: 1, colour: 'red' })).toBe(true);
    expect(call.acceptsBody({ type: 'Square', side: 1 })).toBe(true);
    for (const wrong of [{ type: 'Square', r: 1 }, { type: 'circle', r: 1 }, { r: 1 }])
      expect(call.acceptsBody(wrong), JSON.stringify(wrong)).toBe(false);
  });

  describe('a schema that extends one with a discriminator', () => {
    const extend = (base: string, properties: object) => ({
      allOf: [{ $ref: `#/components/schemas/${base}` }, { type: 'object', properties }],
    });
    const member = { type: 'string' };
    const base = { type: 'object', required: ['type'], properties: { type: member } };
    const createSchemas = (discriminator: object) => ({
      Thing: { ...base, discriminator: { propertyName: 'type', ...discriminator } },
      Comment: extend('Thing', { text: member, about: { $ref: '#/components/schemas/Thing' } }),
      IssueComment: extend('Comment', { issue: member }),
      Repository: extend('Thing', { slug: member }),
    });
    const mapping = { comment: '#/components/schemas/Comment', issue_comment: '#/components/schemas/IssueComment' };

    test.each([
      ['IssueComment', {}, 'IssueComment', ['Comment', 'Repository', 'Thing']],
      ['Comment', {}, 'IssueComment', ['Repository', 'Thing']],
      ['Repository', {}, 'Repository', ['Comment', 'IssueComment']],
      ['IssueComment', { mapping }, 'issue_comment', ['comment', 'IssueComment', 'Repository']],
    ])('%s, with the discriminator %j, has its own value', (name, discriminator, value, others) => {
      const call = callWith({ $ref: `#/components/schemas/${name}` }, { schemas: createSchemas(discriminator) });
      expect(call.acceptsBody({ type: value })).toBe(true);
      for (const other of [...others, 'x']) expect(call.acceptsBody({ type: other }), other).toBe(false);
      expect(call.acceptsBody({})).toBe(false);
    });

    const text = { type: 'string' };
    const petWith = (property: object, discriminator: object = {}) => ({
      type: 'object',
      required: ['t'],
      properties: { t: property },
      discriminator: { propertyName: 't', ...discriminator },
    });
    const catMapping = { mapping: { cat: '#/components/schemas/Cat' } };
    test.each<[title: string, schema: object, schemas: object, accepted: JsonObject[], rejected: JsonObject[]]>([
      [
        'a value that the type itself states',
        { $ref: '#/components/schemas/Cat' },
        { Pet: petWith(text), Cat: extend('Pet', { t: { enum: ['cat'] } }) },
        [{ t: 'cat' }],
        [{ t: 'Cat' }, {}],
      ],
      [
        'a list of values of the base that are not the names of the types',
        { $ref: '#/components/schemas/Pet' },
        { Pet: petWith({ type: 'string', enum: ['cat', 'dog'] }), Cat: extend('Pet', {}), Dog: extend('Pet', {}) },
        [{ t: 'cat' }, { t: 'dog' }],
        [{ t: 'Cat' }],
      ],
      [
        'a number',
        { $ref: '#/components/schemas/Pet' },
        { Pet: petWith({ type: 'integer' }, { mapping: { 1: 'Cat' } }), Cat: extend('Pet', { a: text }) },
        [{ t: 1 }],
        [{ t: 1, a: 1 }],
      ],
      [
        'a wrapper that the mapping does not know',
        { $ref: '#/components/schemas/Input' },
        {
          Pet: petWith(text, catMapping),
          Cat: extend('Pet', { a: text }),
          Input: { allOf: [{ $ref: '#/components/schemas/Pet' }] },
        },
        [{ t: 'cat', a: 'x' }],
        [{ t: 'Input' }, { t: 'cat', a: 1 }],
      ],
      [
        'a wrapper of a type that the mapping knows',
        { $ref: '#/components/schemas/CatInput' },
        { Pet: petWith(text, catMapping), Cat: extend('Pet', { a: text }), CatInput: extend('Cat', { b: text }) },
        [{ t: 'cat', a: 'x', b: 'y' }],
        [{ t: 'CatInput' }, { t: 'cat', b: 1 }],
      ],
      [
        'a base that the mapping knows',
        { $ref: '#/components/schemas/Pet' },
        {
          Pet: petWith(text, { mapping: { pet: 'Pet', ...catMapping.mapping } }),
          Cat: extend('Pet', { a: text }),
        },
        [{ t: 'pet' }, { t: 'cat', a: 'x' }],
        [{ t: 'dog' }],
      ],
    ])('%s is right', (_, schema, schemas, accepted, rejected) => {
      const call = callWith(schema, { schemas });
      for (const body of accepted) {
        expect(call.acceptsBody(body), JSON.stringify(body)).toBe(true);
        expect(call.prepare({ body }).url).toContain('/things');
      }
      for (const body of rejected) expect(call.acceptsBody(body), JSON.stringify(body)).toBe(false);
    });

    test('a read-only discriminator is not required', () => {
      const schemas = { Pet: petWith({ type: 'string', readOnly: true }), Cat: extend('Pet', { a: text }) };
      const call = callWith({ $ref: '#/components/schemas/Pet' }, { schemas });
      expect(call.acceptsBody({ a: 'x' })).toBe(true);
    });

    test('has members of the other types, where it contains them', () => {
      const call = callWith({ $ref: '#/components/schemas/IssueComment' }, { schemas: createSchemas({}) });
      const contained = (about: JsonObject) => ({ type: 'IssueComment', text: 'x', issue: '1', about });
      expect(call.acceptsBody(contained({ type: 'Repository', slug: 'a' }))).toBe(true);
      expect(call.acceptsBody(contained({ type: 'Repository', slug: 1 }))).toBe(false);
    });
  });

  test('local anchors, ids and definitions are put in place', () => {
    const components = {
      schemas: { Named: { $anchor: 'named', type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } },
    };
    const call = callWith(
      {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { $ref: '#named' }, b: { $ref: '#/components/schemas/Local/$defs/In' } },
      },
      {
        schemas: { ...components.schemas, Local: { $defs: { In: { type: 'integer' } } } },
      },
    );
    expect(call.acceptsBody({ a: { n: 1 }, b: 2 })).toBe(true);
    for (const wrong of [
      { a: {}, b: 2 },
      { a: { n: 'x' }, b: 2 },
      { a: { n: 1 }, b: 'x' },
    ])
      expect(call.acceptsBody(wrong), JSON.stringify(wrong)).toBe(false);
  });

  test('a required member that does not fit is mentioned', () => {
    const member = {
      type: 'object',
      required: ['x'],
      properties: { x: { type: 'string', description: 'd'.repeat(300) } },
    };
    const names = Array.from({ length: 300 }, (_, index) => `member_with_a_long_name_${index}`);
    const { slice, tool } = callWith({
      type: 'object',
      required: names,
      properties: Object.fromEntries(names.map((name) => [name, member])),
    });
    expect(Buffer.byteLength(JSON.stringify(slice))).toBeLessThanOrEqual(8_192);
    expect(slice.truncated).toEqual(expect.arrayContaining([expect.objectContaining({ reason: 'budget' })]));
    expect(tool.description).toMatch(/omitted|left out|leaves out|not shown/i);
  });

  test('read-only members are left out at any depth, also behind references and lists', () => {
    const components = {
      schemas: {
        Node: {
          type: 'object',
          required: ['id', 'name'],
          properties: { id: { $ref: '#/components/schemas/Id' }, name: { type: 'string' } },
        },
        Id: { type: 'string', readOnly: true },
      },
    };
    const call = callWith(
      { type: 'object', properties: { nodes: { type: 'array', items: { $ref: '#/components/schemas/Node' } } } },
      components,
    );
    expect(call.acceptsBody({ nodes: [{ name: 'a' }] })).toBe(true);
    for (const text of [call.texts.slice, call.texts.tool]) expect(text).not.toMatch(/"id"/);
  });
});
