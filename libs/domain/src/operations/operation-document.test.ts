import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { documentOperation } from '../documents/document-operations.ts';
import { operationDocument } from './operation-document.ts';

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

function extract(method: string, whole: Json = document): JsonObject {
  const operation = documentOperation(whole, method, '/pets');
  if (!operation) throw new Error('There is no such operation');
  return JSON.parse(operationDocument(whole, operation)) as JsonObject;
}

test('it contains the members that all operations share, and directly and indirectly referenced components', () => {
  const { parameters, responses, schemas, securitySchemes } = document.components;
  const { Lang, Pet, Cat, Dog } = schemas;
  const { parameters: shared, get } = document.paths['/pets'];
  expect(extract('GET')).toEqual({
    openapi: document.openapi,
    info: document.info,
    servers: document.servers,
    security: document.security,
    tags: [{ name: 'pets', description: 'Pets' }],
    paths: { '/pets': { parameters: shared, get } },
    components: {
      securitySchemes: { key: securitySchemes.key },
      parameters,
      responses,
      schemas: { Lang, Pet, Cat, Dog },
    },
  });
});

test('its own security replaces that of the document', () => {
  const { security, components } = extract('PUT');
  expect(security).toBeUndefined();
  expect((components as JsonObject)['securitySchemes']).toEqual({ token: { type: 'http' } });
});

test('a reference into another path moves its target to the components, under an unused name', () => {
  const { paths, components } = extract('PUT');
  expect(JSON.stringify(paths)).toContain('"$ref":"#/components/schemas/moved_2"');
  expect((components as JsonObject)['schemas']).toMatchObject({
    moved_2: { properties: { again: { $ref: '#/components/schemas/moved_2' } } },
  });
});

test('references that lead nowhere stay', () => {
  expect(extract('POST')['paths']).toEqual({
    '/pets': { parameters: document.paths['/pets'].parameters, post: document.paths['/pets'].post },
  });
});
