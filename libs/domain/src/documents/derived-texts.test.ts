import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditFacets, facetsOf } from '../audit/audit-entry.ts';
import { descriptionFrom, nameFrom } from '../collections/collection-texts.ts';
import { nameKey } from '../collections/collection.ts';
import type { ClientId, JobId } from '../ids.ts';
import { isPlainLine } from '../line.ts';
import type { Mail } from '../mails/mail.ts';
import { credentialsMail, rejectionMail } from '../mails/mails-to-clients.ts';
import type { Profile } from '../profiles/profile.ts';
import { documentError } from './document-error.ts';
import { warningOf } from './document-warning.ts';

const long = 'x'.repeat(1_000_000);

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

test('the sort key of lists is at most three times as long as the name', () => {
  // Normalisation splits some characters, such as U+1D160, into three (Unicode Standard Annex 15, section 1.3).
  const lengthening: string[] = [];
  let factor = 0;
  for (let code = 0; code <= 0x10_ffff; code++) {
    const character = String.fromCodePoint(code);
    const key = nameKey(character);
    if (key === character) continue;
    factor = Math.max(factor, key.length / character.length, bytesOf(key) / bytesOf(character));
    if (bytesOf(key) > bytesOf(character)) lengthening.push(character);
  }
  expect(factor).toBe(3);
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...lengthening), fc.string({ unit: 'binary' }))), (parts) => {
      const name = parts.join('').toWellFormed();
      expect(nameKey(name).length).toBeLessThanOrEqual(3 * name.length);
      expect(bytesOf(nameKey(name))).toBeLessThanOrEqual(3 * bytesOf(name));
    }),
  );
});

test('a name derived from text is one line of at most 200 characters', () => {
  expect(nameFrom('x'.repeat(200))).toBe('x'.repeat(200));
  expect(nameFrom('x'.repeat(201))).toBe('x'.repeat(200));
  expect(nameFrom('🐈'.repeat(201))).toBe('🐈'.repeat(200));
  expect(nameFrom(`${'x'.repeat(199)} y`)).toBe('x'.repeat(199));
  expect(nameFrom(' \n\u0000 ')).toBeNull();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom(1, 100, 1_000), (part, times) => {
      const name = nameFrom(part.repeat(times)) ?? 'x';
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
  const bounds = { clientId: 200, collectionId: 200, action: 200 } satisfies Record<keyof AuditFacets, number>;
  const all = (text: string) => facetsOf({ client_id: text, collection_id: text, action: text });
  for (const facet of Object.keys(bounds) as (keyof AuditFacets)[]) {
    expect(all('x'.repeat(bounds[facet]))[facet]?.length).toBe(bounds[facet]);
    expect(all('x'.repeat(bounds[facet] + 1))[facet]).toBeNull();
  }
});

test('a mail adds a few sentences to the input of its recipient and an admin', () => {
  type MailPart = Exclude<keyof Mail, 'name' | 'facts'>;
  const escapedMax = 6; // `"` becomes `&quot;`.
  const profile = { email: 'x'.repeat(254), fullName: '"'.repeat(200) } as Profile;
  const bounds = {
    id: 36,
    to: 254,
    subject: 100,
    text: 200 + 1_000 + 1_000,
    html: escapedMax * (200 + 1_000) + 1_000,
  } satisfies Record<MailPart, number>;
  const head = { id: 'j' as JobId, address: 'https://portico.example.com' };
  const mails = [
    credentialsMail(head, profile, { clientId: 'c' as ClientId, secret: 's'.repeat(100) }),
    rejectionMail(head, profile, '"'.repeat(1_000)),
  ];
  for (const mail of mails)
    for (const part of Object.keys(bounds) as MailPart[]) expect(mail[part].length).toBeLessThanOrEqual(bounds[part]);
});

test('a warning that is too long to use is truncated', () => {
  const { pointer, message } = warningOf({ path: ['a', long, 'b'], message: long });
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
    long,
    { openapi: long, info, paths: {} },
    { openapi: { [long]: long }, info, paths: {} },
    { swagger: long },
    { openapi: '3.0.3', info: { title: [long] } },
  ]) {
    expect(documentError(document, 'openapi_spec')?.length).toBeLessThan(300);
  }
});
