import { isJsonObject, type Json } from '@portico/domain';
import { expect, test } from 'vitest';
import { SparseDocument } from './sparse-document.ts';

const documentOf = (text: string) => new SparseDocument(Buffer.from(text));

/** Accesses every part of the document. */
const readAll = (text: string): unknown => JSON.parse(JSON.stringify(documentOf(text).getDocument()));

test.each([
  '{"openapi":"3.0.3","info":{"title":"é😀"},"paths":{"/a":{"get":{"responses":{}}},"/b":{}}}',
  ' { "components" : { "schemas" : { "A" : { "type" : "string" } , "B":true }, "x-y": [1, 2] } , "paths": null } ',
  '{"paths":{"/b":1,"/a":2,"/b":3},"info":1,"info":{"last":true}}',
  '{"paths":[],"components":{"schemas":null,"responses":7},"webhooks":{"x":{"post":{}}}}',
  '{"paths":{"2":"b","1":"a","constructor":{},"toString":1}}',
  '[1,{"paths":{}}]',
  '"text"',
])('%s is read as if it had been parsed', (text) => {
  expect(readAll(text)).toEqual(JSON.parse(text));
  expect(JSON.stringify(documentOf(text).getDocument())).toBe(JSON.stringify(JSON.parse(text)));
});

test('a member named __proto__ is a regular member', () => {
  const root = documentOf('{"paths":{"__proto__":{"get":{}}}}').getDocument() as { readonly paths: Json };
  expect(isJsonObject(root.paths) && Object.keys(root.paths)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(root.paths)).toBe(Object.prototype);
});

test('parts are identical within a view, and are parsed again after they were cleared', () => {
  const longText = 'x'.repeat(600_000);
  const names = Array.from({ length: 20 }, (_, i) => `/${i}`);
  const paths = Object.fromEntries(names.map((name) => [name, { summary: `${name} ${longText}` }]));
  const document = documentOf(JSON.stringify({ paths }));
  const view = () =>
    (document.getDocument() as { readonly paths: Readonly<Record<string, { readonly summary: string }>> }).paths;
  const before = view();
  for (const name of names) expect(before[name]).toBe(before[name]);
  expect(before['/0']).toBe(before['/0']);
  const firstPart = before['/0'];
  const after = view();
  expect(after['/0']).not.toBe(firstPart);
  expect(after).toEqual(paths);
});

test('an object with a large number of members is parsed as a whole, and its memory is counted accordingly', () => {
  const paths = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`/${i}`, 0]));
  const text = JSON.stringify({ paths });
  const document = documentOf(text);
  const viewedPaths = (document.getDocument() as { readonly paths: object }).paths;
  expect(Object.getOwnPropertyDescriptor(viewedPaths, '/0')).toMatchObject({ value: 0 });
  expect(viewedPaths).toEqual(paths);
  expect(document.bytes).toBeGreaterThan(text.length + 150_000 * 170);
});

test.each(['{"paths":', '{"paths":{"/a":{]}}', '{"a":1} 2'])('%s is rejected immediately', (text) => {
  expect(() => documentOf(text)).toThrow();
});
