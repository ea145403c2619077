import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readMember } from './read-member.ts';
import { packText } from './packed-text.ts';
import { requireUtf8 } from './read-json.ts';
import { positionOf } from '@portico/domain';

test('a position is reported as line and column in characters', () => {
  const text = Buffer.from('é\nピb\n\nc');
  expect(positionOf(text, 0)).toBe('line 1, column 1');
  expect(positionOf(text, text.indexOf('b'))).toBe('line 2, column 2');
  expect(positionOf(text, text.indexOf('c'))).toBe('line 4, column 1');
  expect(positionOf(text, text.length)).toBe('line 4, column 2');
});

test.each([
  [
    'in the middle of multi-byte characters',
    Buffer.concat([Buffer.from('ピ\n'.repeat(999)), Buffer.from([0xff]), Buffer.from('ピ'.repeat(999))]),
    'line 1000, column 1',
  ],
  ['a character that is cut off', Buffer.from('ab🐈').subarray(0, -1), 'line 1, column 3'],
  [
    'half of a surrogate pair',
    Buffer.concat([Buffer.from('abc'), Buffer.from([0xed, 0xa0, 0x80])]),
    'line 1, column 4',
  ],
  ['a byte at the end', Buffer.concat([Buffer.from('é'.repeat(5000)), Buffer.from([0x80])]), 'line 1, column 5001'],
])('invalid UTF-8 is reported with its position: %s', (_name, bytes, position) => {
  expect(() => requireUtf8(bytes)).toThrow(`the text is not valid UTF-8 (${position})`);
});

test('the size of the members other than the document is limited', () => {
  const fields = (length: number) => Buffer.from(JSON.stringify({ a: 'x'.repeat(length), b: 1 }));
  expect(readMember(fields(1_000_000), 'openapi_spec', []).fields['b']).toBe(1);
  expect(() => readMember(fields(1_048_576), 'openapi_spec', [])).toThrow(
    'the members other than openapi_spec are larger than 1 MiB',
  );
});

test('a text that would exhaust the memory when parsed is rejected before it is parsed', () => {
  expect(() => readMember(Buffer.from(`{"a":[${'[],'.repeat(2_000_000)}[]]}`), 'openapi_spec', [])).toThrow(
    'too large to be checked: more than 2000000 values at line 1, column 6000001',
  );
});

test('a final stored block completes the stream of a packed text', () => {
  for (const text of ['', 'a', 'é'.repeat(100_000), JSON.stringify(process.versions)]) {
    const { deflated } = packText(Buffer.from(text));
    const finalBlock = Uint8Array.of(1, 0, 0, 0xff, 0xff);
    expect(inflateRawSync(Buffer.concat([deflated, finalBlock])).toString()).toBe(text);
    expect(() => inflateRawSync(deflated)).toThrow('unexpected end of file');
  }
});
