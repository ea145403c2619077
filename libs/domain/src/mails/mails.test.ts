import { expect, test } from 'vitest';
import type { ClientId, JobId, ProfileId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Mail } from './mail.ts';
import { expiriesNotice, pendingNotice } from './mails-to-admins.ts';
import {
  credentialsMail,
  expiryMail,
  rejectionMail,
  requestDecidedMail,
  resumptionMail,
  rotationMail,
  suspensionMail,
} from './mails-to-clients.ts';

const head = { id: 'j' as JobId, address: null };

const address = 'https://portico.example.com';

const ada = { email: 'ada@example.com' };

const credentials = { clientId: 'c-1' as ClientId, secret: 's-1' };

const at = Date.UTC(2031, 4, 6, 7, 8, 9);

const noRequests = { total: 0, newest: [] };

const pendingProfile = (facts: Partial<Profile> = {}) =>
  ({
    id: 'p-1' as ProfileId,
    email: 'eve@example.com',
    fullName: 'Eve',
    companyName: null,
    createdAt: at,
    ...facts,
  }) as Profile;

test('the text and the HTML of a mail both contain the credentials', () => {
  const mails = [
    credentialsMail(head, ada, credentials),
    rotationMail(head, ada, { ...credentials, previousUntil: null }),
  ];
  for (const mail of mails) {
    expect(mail).toMatchObject({ id: 'j', to: 'ada@example.com' });
    for (const body of [mail.text, mail.html]) {
      expect(body).toContain('client_id: c-1');
      expect(body).toContain('client_secret: s-1');
      expect(body).toContain('X-Client-ID and X-API-Key');
    }
    expect(mail.text).toContain('X-API-Key: <client_id>.<client_secret>');
    expect(mail.html).toContain('X-API-Key: &lt;client_id&gt;.&lt;client_secret&gt;');
  }
});

/** Returns each mail with the next step that it mentions. */
const everyMail = (at: string | null): readonly (readonly [Mail, string])[] => {
  const letterhead = { ...head, address: at };
  const decided = { collection: 'Roads', answer: null, expiresAt: null };
  return [
    [credentialsMail(letterhead, ada, credentials), 'Send them with each call'],
    [rotationMail(letterhead, ada, { ...credentials, previousUntil: null }), 'Send them with each call'],
    [rejectionMail(letterhead, ada, null), 'ask an administrator of your organisation'],
    [suspensionMail(letterhead, ada, null), 'ask an administrator of your organisation'],
    [resumptionMail(letterhead, ada), 'You do not need to do anything'],
    [requestDecidedMail(letterhead, ada, { ...decided, status: 'approved' }), 'GET /api/collections/{id}'],
    [requestDecidedMail(letterhead, ada, { ...decided, status: 'denied' }), 'You may ask again'],
    [expiryMail(letterhead, ada, [], 1), 'Ask an administrator to extend'],
    [pendingNotice(letterhead, ada, { total: 1, newest: [pendingProfile()] }, noRequests), 'approve:'],
    [expiriesNotice(letterhead, ada, [], 1), 'extend a grant:'],
  ];
};

test('every mail contains the next step and the URLs, and templates receive the address', () => {
  for (const [{ text, html, facts }, next] of everyMail(address)) {
    for (const body of [text, html]) {
      expect(body).toContain(next);
      expect(body).toContain(
        `service:       ${address}\nconsole:       ${address}/console/\ndocumentation: ${address}/docs`,
      );
    }
    expect(facts).toMatchObject({ address });
  }
});

test('a service below a path has its console at the root of the host, as the console requires', () => {
  const { text } = rejectionMail({ ...head, address: `${address}/portico` }, ada, null);
  expect(text).toContain(`service:       ${address}/portico\n`);
  expect(text).toContain(`console:       ${address}/console/\n`);
  expect(text).toContain(`documentation: ${address}/portico/docs\n`);
});

test('without an address no mail contains one, and mails with credentials mention who can provide it', () => {
  for (const [{ name, text, html, facts }, next] of everyMail(null)) {
    expect(text).toContain(next);
    for (const body of [text, html]) {
      expect(body).not.toMatch(/https?:|service:|console:|null/);
      expect(body.includes('Ask an administrator for the address of the service')).toBe(
        name === 'credentials' || name === 'rotation',
      );
    }
    expect(facts).toMatchObject({ address: null });
  }
});

test('a rotation mail states who rotated, and until when the previous secret works', () => {
  const expired = rotationMail(head, ada, { ...credentials, previousUntil: null }).text;
  expect(expired).toContain('an administrator has replaced the secret');
  expect(expired).toContain('Your previous secret no longer works.');
  const inGracePeriod = rotationMail(head, ada, { ...credentials, previousUntil: at }).text;
  expect(inGracePeriod).toContain('Your previous secret works until 2031-05-06 07:08 UTC.');
});

test('a reason cannot become markup', () => {
  const mail = rejectionMail(head, ada, '<script>alert(1)</script>');
  expect(mail.html).not.toContain('<script>');
  expect(mail.html).toContain('&lt;script&gt;');
  expect(mail.text).toContain('Reason: <script>alert(1)</script>');
});

test('a reason keeps its line breaks and no other control character', () => {
  expect(rejectionMail(head, ada, 'No.\r\n\r\nAsk\u001b[31myour\u202elead\u2028first').text).toContain(
    'Hello,\n\nyour registration was reviewed and rejected.\n\nReason: No.\n\nAsk [31myour lead\n\nfirst\n\n',
  );
});

test('a mail without a reason does not mention one', () => {
  expect(rejectionMail(head, ada, null).text).not.toContain('Reason');
});

test('a notice contains the number of pending profiles, and time, id, address, name and company of each', () => {
  const newest = [
    pendingProfile({ companyName: 'Eve & Co' }),
    pendingProfile({ id: 'p-2' as ProfileId, fullName: '<b>Mallory' }),
  ];
  const mail = pendingNotice(head, ada, { total: 2, newest }, noRequests);
  expect(mail).toMatchObject({ to: 'ada@example.com', subject: '2 registrations waiting for approval' });
  expect(mail.text).toContain('2031-05-06 07:08 UTC  p-1  eve@example.com  "Eve", "Eve & Co"\n');
  expect(mail.text).toContain('2031-05-06 07:08 UTC  p-2  eve@example.com  "<b>Mallory"\n');
  expect(mail.text).toContain('POST /api/profiles/{id}/approve');
  expect(mail.text).toContain('in 5 minutes at the earliest');
  expect(mail.html).not.toContain('<b>');
  expect(pendingNotice(head, ada, { total: 10_000, newest }, noRequests).text).toContain(
    "10000 registrations are waiting for an administrator's decision; these are the newest 2:",
  );
  expect(pendingNotice(head, ada, { total: 1, newest: [pendingProfile()] }, noRequests)).toMatchObject({
    subject: 'Registration waiting for approval',
    text: expect.stringContaining("a registration is waiting for an administrator's decision:\n") as string,
  });
});

test('any name in a notice is one line of at most 80 units', () => {
  const fullName = `Eve,\r\n\r\nYour account was locked.\u2028Sign in at\u0085https://evil.example\u202e${'😀'.repeat(60)}`;
  const { text } = pendingNotice(head, ada, { total: 1, newest: [pendingProfile({ fullName })] }, noRequests);
  const line = text.split('\n').find((each) => each.includes('p-1'));
  expect(line).toMatch(
    / {2}"Eve, Your account was locked\. Sign in at https:\/\/evil\.example (?:😀){1,20}\ufffd?…"$/u,
  );
  expect(/"(.*)"$/u.exec(line ?? '')?.[1]?.length).toBe(80);
  expect(/[^\P{Cc}\n]|\p{Bidi_Control}/u.test(text)).toBe(false);
});
