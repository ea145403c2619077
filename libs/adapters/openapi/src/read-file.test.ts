import { DocumentFileError } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { unpackText } from './packed-text.ts';
import { readFile } from './read-file.ts';

const json = '{"openapi":"3.0.3","info":{"title":"Größe 🐈","version":"1"},"paths":{}}';
const yaml = 'openapi: 3.0.3\ninfo:\n  title: Größe 🐈\n  version: "1"\npaths: {}\n';
const flowYaml = '{openapi: 3.0.3, info: {title: Größe 🐈, version: "1"}, paths: {}}';

const encode = (text: string, width: 2 | 4, isLittleEndian: boolean): Buffer => {
  const units =
    width === 2 ? Array.from({ length: text.length }, (_, index) => text.charCodeAt(index)) : codePointsOf(text);
  const view = new DataView(new ArrayBuffer(units.length * width));
  for (const [index, unit] of units.entries()) {
    if (width === 2) view.setUint16(index * width, unit, isLittleEndian);
    else view.setUint32(index * width, unit, isLittleEndian);
  }
  return Buffer.from(view.buffer);
};
const codePointsOf = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);

const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-16, little-endian': (text) => encode(text, 2, true),
  'UTF-16, big-endian': (text) => encode(text, 2, false),
  'UTF-32, little-endian': (text) => encode(text, 4, true),
  'UTF-32, big-endian': (text) => encode(text, 4, false),
};

const textOf = (content: Uint8Array): string => unpackText(readFile(content).packed).toString();

describe.each(Object.entries(encodings))('a file in %s', (_name, toBytes) => {
  test.each(['', '\ufeff'])('is read with the byte order mark %j, whether it is JSON or YAML', (mark) => {
    for (const text of [json, yaml, flowYaml, `  ${yaml.replaceAll('\n', '\n  ')}`, ` \n${json}\n`])
      expect(textOf(toBytes(mark + text))).toBe(json);
  });
});

const failureOf = (content: string | Uint8Array): { readonly reason: string; readonly state: string } => {
  try {
    readFile(Buffer.from(content));
  } catch (error) {
    if (!(error instanceof DocumentFileError)) throw error;
    return {
      reason: error.message,
      state: `${error.isParsed ? 'parsed' : 'unparsed'}, ${error.isDocument ? 'a document' : 'no document'}`,
    };
  }
  throw new Error('the file was read');
};

test.each<[string, string | Uint8Array, string, RegExp]>([
  ['JSON that is not a document', '{"name": "x", "config": {"openapi": "3.0.3"}}', 'parsed, no document', /missing/],
  ['a list', '[{"openapi": "3.0.3"}]', 'parsed, no document', /must be a JSON object/],
  ['YAML that is not a document', 'services: {}', 'parsed, no document', /missing/],
  ['plain words', 'Read me', 'parsed, no document', /must be a JSON object/],
  ['an unsupported version', 'openapi: 3.1', 'parsed, a document', /put it in quotes/],
  ['a later version', 'openapi: 3.3.0', 'parsed, a document', /it is "3\.3\.0"/],
  ['Swagger 1.2', '{"swagger": "1.2"}', 'parsed, a document', /Swagger "1\.2" is not supported/],
  ['broken JSON that mentions OpenAPI', '{"openapi": "3.0.3",\n "paths": }', 'unparsed, a document', /line 2/],
  ['broken YAML that mentions Swagger', 'swagger: "2.0"\ninfo: a: b', 'unparsed, a document', /line 2/],
  ['broken YAML of something else', 'a: b: c', 'unparsed, no document', /line 1/],
  ['broken YAML that mentions a longer word', 'x-openapi: b: c', 'unparsed, no document', /line 1/],
  ['JSON with comments', '{"openapi": "3.0.3", // a comment\n "paths": {}}', 'unparsed, a document', /not valid JSON/],
  ['JSON that begins with a comment', '{ /* a */ "openapi": "3.0.3"}', 'unparsed, a document', /not valid JSON/],
  ['broken flow YAML', '{openapi: 3.0.3, paths: {}', 'unparsed, a document', /not valid YAML/],
  ['an empty file', ' \n', 'unparsed, no document', /the file is empty/],
  ['several documents', `${yaml}---\n${yaml}`, 'unparsed, a document', /put each into a file of its own/],
  ['Latin-1', Buffer.from('openapi: 3.0.3 # Größe', 'latin1'), 'unparsed, a document', /not valid UTF-8 .*line 1/],
  ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x00, 0xd8]), 'unparsed, no document', /not valid UTF-16/],
  [
    'a surrogate in UTF-32',
    Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0xd8, 0]),
    'unparsed, no document',
    /not valid UTF-32/,
  ],
])('%s is rejected', (_name, content, state, reason) => {
  const failure = failureOf(content);
  expect(failure.state).toBe(state);
  expect(failure.reason).toMatch(reason);
});

test('JSON keeps its text, and a trailing comma makes it YAML', () => {
  const spaced = '{ "openapi" : "3.0.3", "info": {"title": "x", "version": "1"}, "paths": {}, "x-a": 1.0 }';
  expect(textOf(Buffer.from(`\n${spaced}\n`))).toBe(spaced);
  expect(textOf(Buffer.from(json.replace(/\}$/, ',}')))).toBe(json);
});

test('values that JSON cannot represent, and parts in other files, are reported', () => {
  const { notices, hasExternalReferences, warnings } = readFile(
    Buffer.from(`${yaml}servers: [{url: "https://a.example"}]\nx-a: .nan\nx-b: {$ref: b.yaml}\n`),
  );
  expect(hasExternalReferences).toBe(true);
  expect(warnings.total).toBe(0);
  expect(notices.map(({ pointer }) => pointer)).toEqual(['/x-a', '/x-b']);
});
