import { expect, test } from 'vitest';
import { convertSwagger } from './convert-swagger.ts';
import { unpackText } from './packed-text.ts';
import { readDocument } from './read-document.ts';
import { readFile } from './read-file.ts';

const swagger = JSON.stringify({
  swagger: '2.0',
  info: { title: 'Pets', version: '1' },
  host: 'pets.example',
  basePath: '/v1',
  schemes: ['https'],
  consumes: ['application/json'],
  produces: ['application/json'],
  securityDefinitions: { key: { type: 'apiKey', name: 'X-Key', in: 'header' } },
  security: [{ key: [] }],
  paths: {
    '/pets': {
      post: {
        summary: 'Add a pet',
        parameters: [{ name: 'pet', in: 'body', required: true, schema: { $ref: '#/definitions/Pet' } }],
        responses: { 200: { description: 'It', schema: { $ref: '#/definitions/Pet' } } },
      },
    },
  },
  definitions: { Pet: { type: 'object', properties: { id: { type: 'integer', maximum: 'MAX', multipleOf: 'STEP' } } } },
})
  .replace('"MAX"', '9223372036854775807')
  .replace('"STEP"', '1.10');

test('Swagger 2.0 is converted to OpenAPI 3.0, and the text as sent is kept', () => {
  const document = readFile(Buffer.from(`  ${swagger}\n`));
  expect(document).toMatchObject({
    baseUrl: 'https://pets.example/v1',
    authentication: { type: 'apiKey', name: 'X-Key', in: 'header' },
    operations: [{ method: 'POST', path: '/pets', summary: 'Add a pet' }],
    notices: [],
    warnings: { total: 0 },
    original: { version: '2.0' },
  });
  const { original } = document;
  expect(original?.packed && unpackText(original.packed).toString()).toBe(swagger);
  expect(original?.digest).not.toBe(document.digest);
  const text = unpackText(document.packed).toString();
  expect(text).toMatch(/^\{"openapi":"3\.0\.\d",/);
  expect(text).toContain('"maximum":9223372036854775807,"multipleOf":1.10}');
  expect(text).toContain(
    '"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}',
  );
  expect(readFile(Buffer.from(swagger)).digest).toBe(document.digest);
});

test('the version may be a number, as in YAML', () => {
  const yaml = 'swagger: 2.0\ninfo: {title: Pets, version: "1"}\nhost: a.example\npaths: {}\n';
  expect(readFile(Buffer.from(yaml))).toMatchObject({ baseUrl: 'http://a.example', original: { version: '2.0' } });
});

test('without the extra version, Swagger 2.0 is rejected', () => {
  expect(() => readDocument(Buffer.from(swagger), JSON.parse(swagger) as never)).toThrow(
    /Swagger "2\.0" is not supported/,
  );
});

test('a document that Swagger does not allow is rejected with a reason', () => {
  expect(() =>
    readFile(Buffer.from('{"swagger":"2.0","info":{"title":"x"},"paths":{"/a":{"get":{"parameters":7}}}}')),
  ).toThrow(/cannot be converted to OpenAPI 3\.0, because it departs from Swagger 2\.0/);
  expect(() => readFile(Buffer.from('{"swagger":"2.0","paths":{}}'))).toThrow(/info must be an object/);
});

test('extensions of paths keep their values', () => {
  const paths = '"/a":{"get":{"responses":{}},"x-a":null,"x-b":[null,1.0],"put":null},"x-c":"/b","x-d":{"get":null}';
  const { packed, operations } = readFile(
    Buffer.from(`{"swagger":"2.0","info":{"title":"x","version":"1"},"paths":{${paths}}}`),
  );
  expect(operations).toMatchObject([{ method: 'GET', path: '/a' }]);
  expect(unpackText(packed).toString()).toContain(`"paths":{${paths}}`);
});

test('a document that becomes too large is rejected before it is written', () => {
  const produces = Array.from({ length: 1_500 }, (_, index) => `application/x-${index}`);
  const properties = Object.fromEntries(Array.from({ length: 700 }, (_, index) => [`p${index}`, { type: 'string' }]));
  const paths = { '/a': { get: { responses: { 200: { description: 'It', schema: { properties } } } } } };
  const text = JSON.stringify({ swagger: '2.0', info: { title: 'x', version: '1' }, produces, paths });
  expect(() => convertSwagger(Buffer.from(text))).toThrow(/too large to be checked: more than 2000000 values/);
});
