import { expect, test } from 'vitest';
import { importKeyOf } from '../import-entry.ts';
import { nameOf } from './document-name.ts';
import { readDocument } from './read-document.ts';
import { convertYamlToJson } from './yaml-to-json.ts';

const read = (text: BlobPart, name: string) => readDocument(new File([text], name));

test('keeps the text of a JSON document, without a byte order mark', async () => {
  const text = '{"openapi": "3.0.3", "info": {"title": "Tides"}, "x": 12345678901234567890, "x": 1.0}';
  const result = await read(`\ufeff${text}`, 'tides.json');
  expect(result).toMatchObject({ kind: 'document', title: 'Tides' });
  expect(result.kind === 'document' && (await result.json.text())).toBe(text);
});

test('keeps order, digits and dates of YAML, and expands merge keys', () => {
  const text = 'b: 1\n10: 12345678901234567890\na: &x {on: 2020-01-01, no: yes}\nc: {<<: *x, f: 1.50}\nn:\n';
  expect(convertYamlToJson(text).json).toBe(
    '{"b":1,"10":12345678901234567890,"a":{"on":"2020-01-01","no":"yes"},' +
      '"c":{"on":"2020-01-01","no":"yes","f":1.50},"n":null}',
  );
});

test('limits the expansion of aliases', () => {
  const levels = [...'abcdefghij'].map((name, index, all) => {
    const previous = all[index - 1];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => (previous ? `*${previous}` : '1')).join(', ')}]`;
  });
  expect(() => convertYamlToJson(levels.join('\n'))).toThrow(/alias/i);
});

const utf16 = (text: string): ArrayBuffer => Uint16Array.from(text, (unit) => unit.charCodeAt(0)).buffer;

test.each([
  ['no-number.yaml', 'openapi: 3.0.3\nx: .inf\n', { kind: 'document', notices: [{ pointer: '/x' }] }],
  ['flow.yaml', '{openapi: 3.0.3, info: {title: Flow}}', { kind: 'document', title: 'Flow' }],
  ['indented.yaml', '  openapi: 3.0.3\n  info: {title: In}', { kind: 'document', title: 'In' }],
  ['yaml-in.json', 'openapi: 3.0.3\ninfo: {title: Yaml}', { kind: 'document', title: 'Yaml' }],
  ['json-in.yaml', '{"openapi": "3.0.3", "info": {"title": "Json"}}', { kind: 'document', title: 'Json' }],
  ['utf16.yaml', utf16('\ufeffopenapi: 3.0.3\ninfo: {title: Größe}'), { kind: 'document', title: 'Größe' }],
  ['no-mark.yaml', utf16('openapi: 3.0.3\ninfo: {title: Größe}'), { kind: 'document', title: 'Größe' }],
  ['API', 'openapi: 3.0.3', { kind: 'document' }],
  ['README.md', 'openapi: b: c', { kind: 'other' }],
  [
    'no-value.json',
    '{"openapi": "3.0.3",\n "paths": }',
    { kind: 'broken', reason: 'json', position: { line: 2, column: 11 } },
  ],
  ['comments.json', '{"openapi": "3.0.3", // text\n "paths": {}}', { kind: 'broken', reason: 'json' }],
  ['comma.json', '{"openapi": "3.0.3",}', { kind: 'document' }],
  ['two.yaml', 'openapi: 3.0.3\n---\nopenapi: 3.0.3', { kind: 'broken', detail: /put each into a file of its own/ }],
  ['twice.yml', 'openapi: 3.0.3\nopenapi: 3.0.3\n', { kind: 'broken', position: { line: 2, column: 1 } }],
  ['bytes.json', new Uint8Array([0x7b, 0xff]), { kind: 'broken', reason: 'encoding' }],
  ['other.json', '{"name": "openapi"}', { kind: 'other' }],
  ['text.json', 'text', { kind: 'other' }],
  ['compose.yaml', 'services: {}\n', { kind: 'other' }],
  ['deep.yaml', `openapi: ${'['.repeat(50_000)}`, { kind: 'broken' }],
])('detects the kind of %s', async (name, text, { detail, ...expected }: Record<string, unknown>) => {
  const result = await read(text, name);
  expect(result).toMatchObject(expected);
  if (detail) expect(result.kind === 'broken' && result.detail).toMatch(detail as RegExp);
});

test('uses the same names as the tool: the title in one line, or else the file name', () => {
  expect(nameOf(' The\n Tides ', 'a/b.json')).toBe('The  Tides');
  expect(nameOf('\u0000', 'a/tides.v1.yaml')).toBe('tides.v1');
  expect(nameOf(null, '.json')).toBe('Untitled');
  expect([...nameOf('🐈'.repeat(300), 'x')]).toHaveLength(200);
});

test('uses the same keys as the tool, and the title of a single file', () => {
  const by = 'path' as const;
  expect(importKeyOf({ path: 'docs/a.json' }, { by, source: '' })).toBe('file:docs/a.json');
  expect(importKeyOf({ path: 'docs/a.json' }, { by, source: 'acme/sea' })).toBe('acme/sea:docs/a.json');
  expect(importKeyOf({ path: 'a.json' }, { by, source: 'acme/sea' })).toBe('acme/sea:a.json');
  expect(importKeyOf({ path: 'a.json' }, { by, source: '' })).toBeNull();
  expect(importKeyOf({ path: 'docs/a.json' }, { by: 'title', source: 'acme/sea' })).toBeNull();
});
