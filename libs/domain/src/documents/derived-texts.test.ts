import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditFacets, facetsOf } from '../audit/audit-entry.ts';
import { descriptionFrom, nameFrom } from '../collections/collection-texts.ts';
import { toNameKey } from '../collections/collection.ts';
import type { ClientId, JobId } from '../ids.ts';
import { isPlainLine } from '../line.ts';
import type { Mail } from '../mails/mail.ts';
import { composeCredentialsMail, composeRejectionMail } from '../mails/mails-to-clients.ts';
import type { Profile } from '../profiles/profile.ts';
import { findDocumentError } from './document-error.ts';
import { warningOf } from './document-warning.ts';

const longText = 'x'.repeat(1_000_000);

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

test('the sort key of lists is at most three times as long as the name', () => {
  // Normalisation splits some characters, such as U+1D160, into three (Unicode Standard Annex 15, section 1.3).
  const lengthenedCharacters: string[] = [];
  let factor = 0;
  for (let code = 0; code <= 0x10_ffff; code++) {
    const character = String.fromCodePoint(code);
    const key = toNameKey(character);
    if (key === character) continue;
    factor = Math.max(factor, key.length / character.length, bytesOf(key) / bytesOf(character));
    if (bytesOf(key) > bytesOf(character)) lengthenedCharacters.push(character);
  }
  expect(factor).toBe(3);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...lengthenedCharacters), fc.string({ unit: 'binary' }))),
      (parts) => {
        const name = parts.join('').toWellFormed();
        expect(toNameKey(name).length).toBeLessThanOrEqual(3 * name.length);
        expect(bytesOf(toNameKey(name))).toBeLessThanOrEqual(3 * bytesOf(name));
      },
    ),
  );
});

test('a name derived from text is one line of at most 200 characters', () => {
  expect(nameFrom('x'.repeat(200))).toBe('x'.repeat(200));
  expect(nameFrom('x'.repeat(201))).toBe('x'.repeat(200));
  expect(nameFrom('🐈'.repeat(201))).toBe('🐈'.repeat(200));
  expect(nameFrom(`${'x'.repeat(199)} y`)).toBe('x'.repeat(199));
  expect(nameFrom(' \n\u0000 ')).toBeNull();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(1, 100, 1_000), (text, count) => {
      const name = nameFrom(text.repeat(count)) ?? 'x';
      expect([...name].length).toBeLessThanOrEqual(200);
      expect([isPlainLine(name), name.trim()]).toEqual([true, name]);
    }),
  );
});

test('a description derived from text has at most 10,000 characters, including line breaks', () => {
  expect(descriptionFrom('🐈'.repeat(10_000))).toBe('🐈'.repeat(10_000));
  expect(descriptionFrom('🐈'.repeat(10_001))).toBe('🐈'.repeat(10_000));
  expect(descriptionFrom(' a\n\nb\u0000\ud800 ')).toBe('a\n\nb\ufffd');
  expect(descriptionFrom(' ')).toBe('');
});

test('a facet of an audit entry has at most 200 characters or is null', () => {
  const maxLengths = { clientId: 200, collectionId: 200, action: 200 } satisfies Record<keyof AuditFacets, number>;
  const facetsFor = (text: string) => facetsOf({ client_id: text, collection_id: text, action: text });
  for (const facet of Object.keys(maxLengths) as (keyof AuditFacets)[]) {
    expect(facetsFor('x'.repeat(maxLengths[facet]))[facet]?.length).toBe(maxLengths[facet]);
    expect(facetsFor('x'.repeat(maxLengths[facet] + 1))[facet]).toBeNull();
  }
});

test('an email contains only a few sentences besides the input of its recipient and an admin', () => {
  type MailPart = Exclude<keyof Mail, 'name' | 'data'>;
  const escapedMax = 6; // `"` becomes `&quot;`.
  const profile = { email: 'x'.repeat(254), fullName: '"'.repeat(200) } as Profile;
  const maxLengths = {
    id: 36,
    to: 254,
    subject: 100,
    text: 200 + 1_000 + 1_000,
    html: escapedMax * (200 + 1_000) + 1_000,
  } satisfies Record<MailPart, number>;
  const head = { id: 'j' as JobId, serviceUrl: 'https://portico.example.com' };
  const mails = [
    composeCredentialsMail(head, profile, { clientId: 'c' as ClientId, secret: 's'.repeat(100) }),
    composeRejectionMail(head, profile, '"'.repeat(1_000)),
  ];
  for (const mail of mails)
    for (const field of Object.keys(maxLengths) as MailPart[])
      expect(mail[field].length).toBeLessThanOrEqual(maxLengths[field]);
});

test('a warning that is too long to use is truncated', () => {
  const { pointer, message } = warningOf({ path: ['a', longText, 'b'], message: longText });
  expect([pointer, message.length]).toEqual(['/a', 501]);
  expect(warningOf({ path: ['~'.repeat(2_000)], message: 'm' })).toEqual({
    pointer: `/${'~0'.repeat(2_000)}`,
    message: 'm',
  });
  expect(warningOf({ path: ['~'.repeat(2_001)], message: 'x'.repeat(500) })).toEqual({
    pointer: '',
    message: 'x'.repeat(500),
  });
});

test('the reason for rejecting a document is short, regardless of its content', () => {
  const info = { title: 't' };
  for (const document of [
    longText,
    { openapi: longText, info, paths: {} },
    { openapi: { [longText]: longText }, info, paths: {} },
    { swagger: longText },
    { openapi: '3.0.3', info: { title: [longText] } },
  ]) {
    expect(findDocumentError(document, 'openapi_spec')?.length).toBeLessThan(300);
  }
});
