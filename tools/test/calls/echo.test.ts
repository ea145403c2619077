import { afterAll, beforeAll, expect, test } from 'vitest';
import { DocumentSchemas } from '../../src/calls-check/document-schemas.ts';
import { parseJsonText, type ObjectValue } from '../../src/calls-check/json-text.ts';
import { RejectedArguments, type PreparedRequest } from '../../src/calls-check/product.ts';
import { echoOperation, type EchoResult } from '../../src/calls-echo/echo-operation.ts';
import { startEchoServer, type EchoServer } from '../../src/calls-echo/echo-server.ts';
import { startRequestValidator, type RequestValidator } from '../../src/calls-echo/request-validator.ts';
import { isGood } from '../../src/calls-echo/run-echo.ts';
import { createSeededRandom } from '../../src/seeded-random.ts';
import { prepareSimply, type SimpleOperation } from './simple-preparer.ts';

// Tests the check itself, with a preparer of its own: right requests pass, and each wrong one is caught.

const id = { type: 'integer', minimum: 1 };
const tags = { type: 'array', items: { type: 'integer' } };
const filter = {
  type: 'object',
  required: ['size'],
  properties: { size: { type: 'integer' }, colour: { enum: ['red', 'blue'] } },
};
const trace = { type: 'string', format: 'uuid' };
const theme = { type: 'string', enum: ['dark', 'light'] };
const pet = {
  name: { type: 'string', minLength: 2 },
  age: { type: 'integer', maximum: 30 },
  owner: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
};
const size = { oneOf: [{ type: 'integer' }, { type: 'string', enum: ['all'] }] };
const range = {
  type: 'object',
  required: ['from'],
  properties: { from: { type: 'integer' }, to: { type: 'integer' } },
};
const items = { type: 'array', items: { type: 'object', required: ['b'], properties: { b: { type: 'integer' } } } };
const form = { a: { type: 'integer' }, list: tags, items };
const upload = { file: { type: 'string', format: 'binary' }, note: { type: 'string', pattern: '^[a-f]{3,5}$' } };

const content = (mediaType: string, schema: object) => ({
  requestBody: { required: true, content: { [mediaType]: { schema } } },
});
const documentText = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'https://things.example/v1' }],
  paths: {
    '/pets/{id}.json': {
      parameters: [{ $ref: '#/components/parameters/id' }],
      post: {
        parameters: [
          { name: 'tags', in: 'query', required: true, schema: tags },
          { name: 'filter', in: 'query', required: true, style: 'deepObject', explode: true, schema: filter },
          { name: 'X-Trace', in: 'header', required: true, schema: trace },
          { name: 'theme', in: 'cookie', required: true, schema: theme },
          { $ref: 'other.yaml#/parameters/zone' },
          { name: 'key', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'page[size]', in: 'query', required: true, schema: size },
          { name: 'range', in: 'query', style: 'deepObject', schema: range },
          { name: 'Content-Length', in: 'header', required: true, schema: { type: 'integer', maximum: 0 } },
        ],
        ...content('application/json', { $ref: '#/components/schemas/Pet' }),
      },
    },
    '/forms': {
      post: content('application/x-www-form-urlencoded', { type: 'object', required: ['a'], properties: form }),
    },
    '/uploads': {
      post: content('multipart/form-data', { type: 'object', required: ['file', 'note'], properties: upload }),
    },
  },
  components: {
    parameters: { id: { name: 'id', in: 'path', required: true, schema: { ...id, readOnly: true } } },
    schemas: {
      Pet: {
        required: ['name', 'id'],
        additionalProperties: false,
        allOf: [
          { $ref: '#/components/schemas/Identified' },
          { type: 'object', properties: { ...pet, mother: { $ref: '#/components/schemas/Pet' } } },
        ],
      },
      Identified: {
        type: 'object',
        required: ['id', 'created'],
        properties: { id: { type: 'integer', readOnly: true }, created: { $ref: '#/components/schemas/Created' } },
      },
      Created: { type: 'string', readOnly: true },
    },
  },
});

const toPlaces = (location: string, members: object): SimpleOperation['places'] =>
  Object.fromEntries(Object.keys(members).map((name) => [name, [location, name] as const]));
const pets: SimpleOperation = {
  method: 'POST',
  path: '/pets/{id}.json',
  type: 'application/json',
  places: {
    ...toPlaces('body', pet),
    id: ['path', 'id'],
    ...toPlaces('query', { tags, filter }),
    page_size: ['query', 'page[size]'],
    X_Trace: ['header', 'X-Trace'],
    theme: ['cookie', 'theme'],
  },
};
const forms: SimpleOperation = {
  method: 'POST',
  path: '/forms',
  type: 'application/x-www-form-urlencoded',
  places: toPlaces('body', form),
};
const uploads: SimpleOperation = {
  method: 'POST',
  path: '/uploads',
  type: 'multipart/form-data',
  places: toPlaces('body', upload),
};

const schemaOf = new Map<SimpleOperation, object>([
  [
    pets,
    {
      type: 'object',
      required: ['id', 'tags', 'filter', 'page_size', 'X_Trace', 'theme', 'name'],
      properties: { id, tags, filter, page_size: size, X_Trace: trace, theme, ...pet },
    },
  ],
  [forms, { type: 'object', required: ['a'], properties: form }],
  [uploads, { type: 'object', required: ['file', 'note'], properties: upload }],
]);

/** A credential that the document declares as a parameter too. */
const key = { scheme: 'key', in: 'query', name: 'key', stored: false };

let echo: EchoServer;
let validator: RequestValidator;
beforeAll(async () => {
  echo = await startEchoServer();
  validator = await startRequestValidator();
});
afterAll(async () => {
  await echo.close();
  await validator.close();
});

const run = (
  operation: SimpleOperation,
  seed: number,
  change: (request: PreparedRequest) => Partial<PreparedRequest> = () => ({}),
  runsCurl = false,
) => {
  const tool = parseJsonText(JSON.stringify({ input_schema: schemaOf.get(operation) })) as ObjectValue;
  const { method, path } = operation;
  const prepare = (_text: string, _operation: string, args: ObjectValue): PreparedRequest => {
    const request = prepareSimply(operation, JSON.parse(JSON.stringify(args)) as Record<string, string>);
    return { ...request, credentials: [key], ...change(request) };
  };
  const schemas = new DocumentSchemas(parseJsonText(documentText));
  return echoOperation(
    { documentText, schemas, method, path, tool },
    { prepare, echo, validator, random: createSeededRandom(seed), runsCurl },
  );
};

const seeds = Array.from({ length: 12 }, (_, index) => index + 1);

test.for([pets, forms, uploads])('right requests of $path are valid, for all seeds', async (operation) => {
  const results: EchoResult[] = [];
  for (const seed of seeds) results.push(await run(operation, seed));
  expect(results.filter(({ outcome }) => outcome !== 'valid')).toEqual([]);
  expect(new Set(results.map(({ args }) => JSON.stringify(args))).size).toBeGreaterThan(3);
});

test('arguments that the product rejects are corrected', async () => {
  let count = 0;
  const reject = (): Partial<PreparedRequest> => {
    if (count++ < 2) throw new RejectedArguments(`${count}`);
    return {};
  };
  expect(await run(pets, 1, reject)).toMatchObject({ outcome: 'valid', rejections: ['1', '2'] });
});

test('an operation whose arguments the product always rejects is not prepared', async () => {
  const result = await run(pets, 1, () => {
    throw new RejectedArguments('never');
  });
  expect(result).toMatchObject({ outcome: 'unprepared', reason: 'never' });
  expect(isGood([result])).toBe(false);
});

test('an operation that the product cannot prepare is not prepared', async () => {
  const result = await run(pets, 1, () => {
    throw new Error('a fault');
  });
  expect(result).toMatchObject({ outcome: 'unprepared', reason: 'a fault', rejections: [] });
});

const replaceBody =
  (change: (text: string) => string) =>
  (request: PreparedRequest): Partial<PreparedRequest> => {
    const text = Buffer.from(request.body && 'base64' in request.body ? request.body.base64 : '', 'base64').toString(
      'latin1',
    );
    return { body: { base64: Buffer.from(change(text), 'latin1').toString('base64') } };
  };
const withoutHeader =
  (header: string) =>
  ({ headers }: PreparedRequest) => ({ headers: headers.filter(([name]) => name !== header) });
const replaceUrl =
  (pattern: RegExp, text: string) =>
  ({ url }: PreparedRequest) => ({ url: url.replace(pattern, text) });

test.for<
  readonly [title: string, operation: SimpleOperation, change: (request: PreparedRequest) => Partial<PreparedRequest>]
>([
  ['another method', pets, () => ({ method: 'PUT' })],
  ['another path', pets, replaceUrl(/\.json/, '.xml')],
  ['an empty path parameter', pets, replaceUrl(/\d+\.json/, '.json')],
  ['a path parameter of the wrong type', pets, replaceUrl(/\d+\.json/, 'one.json')],
  ['a list as JSON', pets, replaceUrl(/tags=[^&]*/g, 'tags=%5B%22x%22%5D')],
  ['no required query parameter', pets, replaceUrl(/tags=[^&]*&?/g, '')],
  ['an object that is not written as deepObject', pets, replaceUrl(/filter%5Bsize%5D/, 'size')],
  ['no required parameter with brackets', pets, replaceUrl(/page%5Bsize%5D=[^&]*/, 'a=1')],
  ['a parameter that fits no alternative', pets, replaceUrl(/page%5Bsize%5D=[^&]*/, 'page%5Bsize%5D=x')],
  ['an optional object without its required member', pets, replaceUrl(/\?/, '?range%5Bto%5D=1&')],
  ['no credential for a required parameter', pets, () => ({ credentials: [] })],
  ['no required header', pets, withoutHeader('X-Trace')],
  ['no required cookie', pets, withoutHeader('Cookie')],
  ['no content type', pets, withoutHeader('Content-Type')],
  [
    'another content type',
    forms,
    () => ({ headers: [['Content-Type', 'application/json']], body: { text: '{"a":1}' } }),
  ],
  ['no body', pets, () => ({ body: null })],
  ['no required member', pets, replaceBody(() => '{"age":1}')],
  ['a number as text', pets, replaceBody((text) => text.replace('{', '{"age":"1",').replace(/,"age":\d+/, ''))],
  ['a read-only member', pets, replaceBody((text) => text.replace('{', '{"id":1,'))],
  ['a form field of the wrong type', forms, replaceBody((text) => text.replace(/a=[^&]*/, 'a=one'))],
  ['an object in a form list without its required member', forms, replaceBody((text) => `${text}&items=%7B%7D`)],
  ['a form list as JSON', forms, replaceBody((text) => `${text.replace(/&list=[^&]*/g, '')}&list=%5B1%5D`)],
  [
    'a part of a multipart body that does not match its pattern',
    uploads,
    replaceBody((text) => text.replace(/name="note"\r\n\r\n/, '$&zzz')),
  ],
  ['no required part', uploads, replaceBody((text) => text.replace('name="note"', 'name="other"'))],
  ['no boundary', uploads, () => ({ headers: [['Content-Type', 'multipart/form-data']] })],
])('a request with %s is invalid', async ([, operation, change]) => {
  const result = await run(operation, 3, change);
  expect(result).toMatchObject({ outcome: 'invalid' });
  expect(isGood([result])).toBe(false);
});

test('a header that cannot be sent is reported', async () => {
  expect(await run(pets, 3, () => ({ headers: [['X-Trace', 'a\r\nb']] }))).toMatchObject({ outcome: 'unprepared' });
});

test.for([pets, forms, uploads])('the curl line of $path sends the same request', async (operation) => {
  for (const seed of seeds.slice(0, 4))
    expect((await run(operation, seed, undefined, true)).curlDifferences).toEqual([]);
});

const replaceCurl =
  (pattern: RegExp, text: string) =>
  ({ curl }: PreparedRequest) => ({ curl: curl?.replace(pattern, text) ?? null });

test.for([
  ['method', /-X POST/, '-X PATCH'],
  ['target', /tags=/, 'tag='],
  ['headers', /X-Trace: /, 'X-Trace: 1'],
  ['headers', /theme=/, 'theme=x'],
  ['body', /"name"/, '"names"'],
  ['$(touch', /"name"/, `'$(touch x)'`],
  ['unexpected option', /-g/, '-o x'],
  ['not curl', /^curl/, 'wget'],
] as const)('a curl line that differs in %s is reported', async ([text, pattern, replacement]) => {
  const { curlDifferences } = await run(pets, 3, replaceCurl(pattern, replacement), true);
  expect(curlDifferences?.join('\n')).toContain(text);
});

test('credentials in the curl line are no difference', async () => {
  const change = (request: PreparedRequest): Partial<PreparedRequest> => ({
    credentials: [{ scheme: 'key', in: 'header', name: 'X-Key', stored: true }],
    ...replaceCurl(/ -H/, " -H 'X-Key: KEY' -H")(request),
  });
  expect((await run(pets, 3, change, true)).curlDifferences).toEqual([]);
});
