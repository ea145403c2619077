import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { apiDocumentOf } from './api-document.ts';
import { readLabelledOperations } from './labelled-operations.ts';
import { buildFieldTexts } from './operation-vectors.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-judged-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pets = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://api.zoo.example/v1' }],
  paths: {
    '/pets/{id}': {
      parameters: [],
      get: { operationId: 'readPetById', summary: 'Read a pet', tags: ['Pets', 7], description: 'x'.repeat(300) },
      delete: { $ref: '#/components/operations/gone' },
    },
    '/moved': { $ref: '#/components/items/a~1b' },
    '/nowhere': { $ref: '#/components/items/missing' },
    'x-internal': { get: {} },
  },
  components: { items: { 'a/b': { post: { deprecated: true } } }, operations: { gone: { summary: 'Delete a pet' } } },
};

test('operations are read from paths, local references are resolved, and extensions are ignored', () => {
  const { operations, collection } = apiDocumentOf('zoo-pets.json', pets);
  expect(operations.map(({ method, path, summary }) => `${method} ${path} ${summary}`)).toEqual([
    'GET /pets/{id} Read a pet',
    'DELETE /pets/{id} Delete a pet',
    'POST /moved ',
  ]);
  expect(operations[0]?.tags).toEqual(['Pets']);
  expect(operations.map(({ deprecated }) => deprecated)).toEqual([false, false, true]);
  expect(collection).toMatchObject({ name: 'Pets', baseUrl: 'https://api.zoo.example/v1' });
});

test('the fields of an operation are words, and its description is truncated to 200 characters', () => {
  const document = apiDocumentOf('zoo-pets.json', pets);
  const [operation] = document.operations;
  expect(operation && buildFieldTexts(document, operation)).toEqual({
    title: 'Pets',
    summary: 'Read a pet',
    operationId: 'read Pet By Id',
    tags: 'Pets',
    path: 'pets id',
    description: 'x'.repeat(200),
  });
});

const answers = (change: object = {}) => [{ doc: 'a.json', method: 'GET', path: '/pets/{id}', grade: 2, ...change }];

const read = (tasks: unknown, families?: unknown) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'specs'), { recursive: true });
  for (const file of ['a.json', 'b.json']) writeFileSync(join(folder, 'specs', file), JSON.stringify(pets));
  writeFileSync(join(folder, 'tasks.json'), JSON.stringify(tasks, null, 1));
  if (families !== undefined) writeFileSync(join(folder, 'families.json'), JSON.stringify(families));
  return readLabelledOperations(folder);
};

test('the same operation in variants of an API is one unit, with the best grade', () => {
  const variants = [...answers({ grade: 1 }), ...answers({ doc: 'b.json' })];
  const { tasks } = read(
    [{ id: 't', task: 'find', kind: 'k', right: variants }],
    [{ family: 'f', docs: ['a.json', 'b.json'] }],
  );
  expect(tasks[0]?.grades).toEqual(new Map([['f GET /pets/{id}', 2]]));
});

test('without families, each document is a separate API, and a task may have no answer', () => {
  const { tasks, familyOf } = read([{ id: 't', task: 'fly', kind: 'none', right: [] }]);
  expect(tasks[0]?.grades.size).toBe(0);
  expect(familyOf.get('b.json')).toBe('b.json');
});

test.each<[string, object, string]>([
  ['no list of operations', { right: 'none' }, '"right" must be a list'],
  ['a string in the list', { right: ['GET /'] }, '"right" must contain objects'],
  [
    'an unknown operation',
    { right: answers({ path: '/cats' }) },
    'names GET /cats of a.json, which is not in the documents',
  ],
  ['an unknown document', { right: answers({ doc: 'c.json' }) }, 'of c.json, which is not in the documents'],
  ['a grade of 4', { right: answers({ grade: 4 }) }, 'the grade of GET /pets/{id} must be 2'],
])('a task with %s is rejected, and the error names the line', (_, change, message) => {
  const tasks = [{ id: 't', task: 'find', kind: 'k', right: answers(), ...change }];
  expect(() => read(tasks)).toThrow('tasks.json, line 2: ');
  expect(() => read(tasks)).toThrow(message);
});

test('errors name a folder without tasks, and a document that is not JSON', () => {
  expect(() => readLabelledOperations(join(folder, 'specs'))).toThrow('contains neither tasks.json nor tasks-dev.json');
  read([{ id: 't', task: 'find', kind: 'k', right: answers() }]);
  writeFileSync(join(folder, 'specs', 'c.json'), '{');
  expect(() => readLabelledOperations(folder)).toThrow('c.json: ');
});
