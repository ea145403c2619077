import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { findDocumentOperation } from '../documents/document-operations.ts';
import { defaultCallSettings, type CallSettings } from './call-settings.ts';
import { buildOperationDocument } from './operation-document.ts';

const document = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://pets.example' }],
  security: [{ key: [] }],
  tags: [{ name: 'pets', description: 'Pets' }, { name: 'shops' }],
  paths: {
    '/pets': {
      parameters: [{ $ref: '#/components/parameters/Lang' }],
      get: { tags: ['pets'], responses: { 200: { $ref: '#/components/responses/Pet' } } },
      post: { responses: {}, requestBody: { $ref: '#/components/requestBodies/Pet' } },
      put: {
        security: [{ token: [] }],
        responses: { 200: { content: { 'a/b': { schema: { $ref: '#/paths/~1shops/get/x-schema' } } } } },
      },
    },
    '/shops': {
      get: { responses: {}, 'x-schema': { properties: { again: { $ref: '#/paths/~1shops/get/x-schema' } } } },
    },
  },
  components: {
    parameters: { Lang: { name: 'lang', in: 'query', schema: { $ref: '#/components/schemas/Lang' } } },
    responses: {
      Pet: { description: 'A pet', content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
    },
    schemas: {
      Lang: { type: 'string' },
      Pet: { discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } } },
      Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }] },
      Dog: { $ref: '#/components/schemas/Cat/allOf/0' },
      Unused: {},
      moved_1: { description: 'A name that is in use' },
    },
    securitySchemes: { key: { type: 'apiKey' }, token: { type: 'http' } },
  },
};

function extract(method: string, source: Json = document, settings: Partial<CallSettings> = {}): JsonObject {
  const operation = findDocumentOperation(source, method, '/pets');
  if (!operation) throw new Error('There is no such operation');
  return JSON.parse(buildOperationDocument(source, operation, { ...defaultCallSettings, ...settings })) as JsonObject;
}

test('it contains the members that all operations share, and directly and indirectly referenced components', () => {
  const { parameters, responses, schemas, securitySchemes } = document.components;
  const { Lang, Pet, Cat, Dog } = schemas;
  const { parameters: sharedParameters, get } = document.paths['/pets'];
  expect(extract('GET')).toEqual({
    openapi: document.openapi,
    info: document.info,
    servers: document.servers,
    security: document.security,
    tags: [{ name: 'pets', description: 'Pets' }],
    paths: { '/pets': { parameters: sharedParameters, get } },
    components: {
      securitySchemes: { key: securitySchemes.key },
      parameters,
      responses,
      schemas: { Lang, Pet, Cat, Dog },
    },
  });
});

test('the security of an operation replaces that of the document', () => {
  const { security, components } = extract('PUT');
  expect(security).toBeUndefined();
  expect((components as JsonObject)['securitySchemes']).toEqual({ token: { type: 'http' } });
});

test('the target of a reference into a different path is moved to the components, under an unused name', () => {
  const { paths, components } = extract('PUT');
  expect(JSON.stringify(paths)).toContain('"$ref":"#/components/schemas/moved_2"');
  expect((components as JsonObject)['schemas']).toMatchObject({
    moved_2: { properties: { again: { $ref: '#/components/schemas/moved_2' } } },
  });
});

test('dangling references are kept', () => {
  expect(extract('POST')['paths']).toEqual({
    '/pets': { parameters: document.paths['/pets'].parameters, post: document.paths['/pets'].post },
  });
});

test('links to other operations are dropped, and the security schemes of callbacks are kept', () => {
  const links = {
    self: { operationId: 'listPets' },
    shop: { operationId: 'readShop' },
    ref: { operationRef: '#/paths/x' },
  };
  const callback = { post: { security: [{ token: [] }], responses: {} } };
  const get = {
    operationId: 'listPets',
    responses: { 200: { links } },
    callbacks: { adopted: { '{$url}': callback } },
  };
  const { paths, components } = extract('GET', { ...document, paths: { '/pets': { get } } });
  expect(paths).toEqual({ '/pets': { get: { ...get, responses: { 200: { links: { self: links.self } } } } } });
  expect((components as JsonObject)['securitySchemes']).toEqual(document.components.securitySchemes);
});

test('its servers are those that apply in the collection', () => {
  const variables = { region: { default: 'eu', enum: ['eu', 'us'], description: 'Where' } };
  const regional = { url: 'https://{region}.pets.example/{tier}', variables };
  const source = {
    ...document,
    servers: [regional],
    paths: { '/pets': { servers: [{ url: '/other' }], get: { servers: [regional, { url: 'files' }] }, post: {} } },
  };
  const { servers, get } = source.paths['/pets'];
  expect(extract('GET', source)).toMatchObject({ servers: source.servers, paths: { '/pets': { servers, get } } });
  const resolved = {
    ...regional,
    variables: { region: { default: 'asia', enum: ['eu', 'us', 'asia'], description: 'Where' }, tier: { default: '' } },
  };
  const serverVariables = { region: 'asia', tier: '', unused: 'x' };
  expect(extract('GET', source, { serverVariables })).toMatchObject({
    servers: [resolved],
    paths: { '/pets': { servers: [{ url: '/other' }], get: { servers: [resolved, { url: 'files' }] } } },
  });
  expect(extract('GET', source, { baseUrl: 'https://base.example/v1' })).toMatchObject({
    servers: [{ url: 'https://base.example/v1' }],
    paths: {
      '/pets': {
        servers: [{ url: 'https://base.example/other' }],
        get: { servers: [regional, { url: 'https://base.example/files' }] },
      },
    },
  });
});
