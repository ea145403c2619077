import { expect, test } from 'vitest';
import { credentialsMail, rejectionMail } from './mails.ts';
import type { ClientId, JobId } from '../ids.ts';
import type { Profile } from '../ports/index.ts';

const profile = { email: 'ada@example.com', fullName: 'Ada <b>&"Lovelace"' } as Profile;

test('the credentials stand in both forms of the mail', () => {
  const mail = credentialsMail('j' as JobId, profile, { clientId: 'c-1' as ClientId, secret: 's-1' });
  expect(mail).toMatchObject({ id: 'j', to: 'ada@example.com' });
  for (const body of [mail.text, mail.html]) {
    expect(body).toContain('client_id: c-1');
    expect(body).toContain('client_secret: s-1');
  }
});

test('a name or a reason cannot become markup', () => {
  const mail = rejectionMail('j' as JobId, profile, '<script>alert(1)</script>');
  expect(mail.html).not.toContain('<script>');
  expect(mail.html).not.toContain('<b>');
  expect(mail.html).toContain('&lt;script&gt;');
  expect(mail.text).toContain('Reason: <script>alert(1)</script>');
});

test('without a reason none is named', () => {
  expect(rejectionMail('j' as JobId, profile, null).text).not.toContain('Reason');
});
