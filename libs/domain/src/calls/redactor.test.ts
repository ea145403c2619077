import { expect, test } from 'vitest';
import { createRedactor } from './redactor.ts';

const secret = 'S3cret/+ "key"&<ü>\'=!';

/** The ways in which a server may reflect a secret. */
const reflections: readonly (readonly [name: string, reflect: (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['in upper case', (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase())],
  ['in JSON', (text) => JSON.stringify({ text })],
  ['in JSON with escaped slashes', (text) => JSON.stringify({ text }).replaceAll('/', '\\/')],
  [
    'in JSON for HTML',
    (text) =>
      JSON.stringify({ text }).replace(
        /[<>&'+]|[^\x20-\x7e]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  ],
  ['percent-encoded', (text) => `https://api.example/?key=${encodeURIComponent(text)}`],
  ['percent-encoded in lower case', (text) => encodeURIComponent(text).toLowerCase()],
  ['in a form', (text) => new URLSearchParams({ text }).toString()],
  ['percent-encoded twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  [
    'in HTML',
    (text) =>
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&apos;'),
  ],
  ['with each character percent-encoded', (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
  ['in HTML with decimal codes', (text) => Array.from(text, (character) => `&#${character.codePointAt(0)};`).join('')],
  [
    'in HTML with hexadecimal codes',
    (text) => text.replace(/["'&<>]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`),
  ],
  ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['in upper-case hexadecimal', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64 after one byte', (text) => Buffer.from(`:${text}`).toString('base64')],
  ['in base64 after two bytes', (text) => Buffer.from(`a:${text}:b`).toString('base64')],
  ['in base64url', (text) => Buffer.from(`user:${text}`).toString('base64url')],
  ['in the bytes of UTF-8', (text) => Buffer.from(text).toString('latin1')],
  ['in the bytes of UTF-16', (text) => Buffer.from(text, 'utf16le').toString('latin1')],
];

test.each(reflections)('a secret reflected %s is replaced', (_name, reflect) => {
  const { redact } = createRedactor([secret]);
  const text = `before ${reflect(secret)} after`;
  const redactedText = redact(text);
  expect(redactedText).toContain('[redacted]');
  expect(redactedText.startsWith('before ')).toBe(true);
  expect(redactedText.endsWith(' after')).toBe(true);
  // At most the characters of base64 that also depend on the bytes around the secret are left.
  expect(redactedText.length).toBeLessThan(60);
});

test('several secrets are replaced, each as often as it occurs, and the rest is left as it is', () => {
  const { redact } = createRedactor(['abcd', 'wxyz', '']);
  expect(redact('abcd, abc, wxyzwxyz; ABCD')).toBe('[redacted], abc, [redacted][redacted]; [redacted]');
  expect(redact('nothing to replace')).toBe('nothing to replace');
});

test('without secrets nothing is replaced', () => {
  const redactor = createRedactor([]);
  expect(redactor.lengthMax).toBe(0);
  expect(redactor.redact('text', 2)).toBe('te');
});

test('a secret that starts before the end of a text is replaced whole, and one that starts later is left out', () => {
  const { redact } = createRedactor(['secret']);
  expect(redact('1234secret', 4)).toBe('1234');
  expect(redact('1234secret', 5)).toBe('1234[redacted]');
  expect(redact('1234secret5', 10)).toBe('1234[redacted]');
  expect(redact('1234secret5', 11)).toBe('1234[redacted]5');
});

test('a secret that is a part of another is replaced together with it', () => {
  const { redact } = createRedactor(['token', 'token-of-user']);
  expect(redact('token-of-user token')).toBe('[redacted] [redacted]');
});

test('only the form as it is of a very short secret is replaced', () => {
  const { redact } = createRedactor(['a1']);
  expect(redact('a1 6131 YTE')).toBe('[redacted] [redacted] YTE');
});

test('texts whose length changes in lower case are replaced at the right place', () => {
  const { redact } = createRedactor(['secret']);
  expect(redact('İİİ SECRET İ')).toBe('İİİ [redacted] İ');
});

test.each([65, 1_000, 8_192])('a secret of %i characters is replaced whole', (length) => {
  const longSecret = 'Zm9v-_.'.repeat(2_000).slice(0, length);
  const { redact } = createRedactor([longSecret]);
  for (const [, reflect] of reflections)
    expect(redact(`{"before": 1, "reflected": ${reflect(longSecret)} , "after": 2}`)).toMatch(
      /^\{"before": 1, "reflected": .{0,40}\[redacted\].{0,40} , "after": 2\}$/s,
    );
  expect(redact(`"${longSecret}" and "${longSecret}"`)).toBe('"[redacted]" and "[redacted]"');
});
