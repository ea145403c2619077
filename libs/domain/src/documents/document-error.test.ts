import { expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { findDocumentError } from './document-error.ts';

const info = { title: 'Pets', version: '1' };

test.each<[string, Json]>([
  ['a 3.0 document with paths', { openapi: '3.0.3', info, paths: {} }],
  ['a 3.1 document with paths', { openapi: '3.1.0', info, paths: {} }],
  ['a 3.1 document with webhooks alone', { openapi: '3.1.1', info, webhooks: {} }],
  ['a 3.1 document with components alone', { openapi: '3.1.0', info, components: {} }],
  ['an empty title', { openapi: '3.0.0', info: { title: '' }, paths: {} }],
  ['a release candidate', { openapi: '3.0.0-rc2', info, paths: {} }],
  ['members that the schema does not know', { openapi: '3.0.0', info, paths: {}, toString: 1 }],
])('%s is accepted', (_description, document) => {
  expect(findDocumentError(document)).toBeNull();
});

test.each<[string, Json, string]>([
  ['null', null, 'openapi_spec must be a JSON object'],
  ['an array', [], 'openapi_spec must be a JSON object'],
  ['a string', '{}', 'openapi_spec must be a JSON object'],
  [
    'no version',
    { info, paths: {} },
    'openapi_spec.openapi must be a version 3.0.x or 3.1.x, such as "3.1.0"; it is missing',
  ],
  [
    'a later version',
    { openapi: '3.2.0', info, paths: {} },
    'openapi_spec.openapi must be a version 3.0.x or 3.1.x, such as "3.1.0"; it is "3.2.0"',
  ],
  [
    'two parts of a version',
    { openapi: '3.0', info, paths: {} },
    'openapi_spec.openapi must be a version 3.0.x or 3.1.x, such as "3.1.0"; it is "3.0"',
  ],
  [
    'a number for the version',
    { openapi: 3.1, info, paths: {} },
    'openapi_spec.openapi must be a version 3.0.x or 3.1.x, such as "3.1.0"; it is 3.1 (a number; put it in quotes, with all three parts)',
  ],
  [
    'Swagger 2.0',
    { swagger: '2.0', info, paths: {} },
    'openapi_spec.swagger: Swagger "2.0" is not supported, convert the document to OpenAPI 3.0.x or 3.1.x',
  ],
  ['no info', { openapi: '3.0.0', paths: {} }, 'openapi_spec.info must be an object'],
  ['no title', { openapi: '3.0.0', info: {}, paths: {} }, 'openapi_spec.info.title must be a string'],
  [
    'a number for the title',
    { openapi: '3.0.0', info: { title: 7 }, paths: {} },
    'openapi_spec.info.title must be a string',
  ],
  ['no paths in 3.0', { openapi: '3.0.0', info, components: {} }, 'openapi_spec.paths must be an object'],
  ['a list of paths', { openapi: '3.0.0', info, paths: [] }, 'openapi_spec.paths must be an object'],
  [
    'neither paths nor webhooks nor components in 3.1',
    { openapi: '3.1.0', info, webhooks: [] },
    'openapi_spec.paths, openapi_spec.webhooks or openapi_spec.components must be an object',
  ],
])('%s is rejected, with its position', (_description, document, message) => {
  expect(findDocumentError(document, 'openapi_spec')).toBe(message);
});

test('the position has no prefix if the document has no name', () => {
  expect(findDocumentError([])).toBe('the document must be a JSON object');
  expect(findDocumentError({ openapi: '3.0.0', info: {}, paths: {} })).toBe('info.title must be a string');
});

test('a long value is truncated in the message', () => {
  expect(findDocumentError({ openapi: 'x'.repeat(100_000), info, paths: {} })?.length).toBeLessThan(200);
});
