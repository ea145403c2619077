import { expect, test } from 'vitest';
import type { ClientId, JobId, ProfileId } from '../ids.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Mail } from './mail.ts';
import { expiriesNotice, waitingNotice } from './mails-to-admins.ts';
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

const nobodyAsks = { total: 0, newest: [] };

const waiting = (facts: Partial<Profile> = {}) =>
  ({
    id: 'p-1' as ProfileId,
    email: 'eve@example.com',
    fullName: 'Eve',
    companyName: null,
    createdAt: at,
    ...facts,
  }) as Profile;

test('the text and the HTML of a mail both hold the credentials', () => {
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

/** Every mail, and what it says to do next. */
const everyMail = (at: string | null): readonly (readonly [Mail, string])[] => {
  const given = { ...head, address: at };
  const decided = { collection: 'Roads', answer: null, expiresAt: null };
  return [
    [credentialsMail(given, ada, credentials), 'Send them with each call'],
    [rotationMail(given, ada, { ...credentials, previousUntil: null }), 'Send them with each call'],
    [rejectionMail(given, ada, null), 'ask an administrator of your organisation'],
    [suspensionMail(given, ada, null), 'ask an administrator of your organisation'],
    [resumptionMail(given, ada), 'go on as before'],
    [requestDecidedMail(given, ada, { ...decided, status: 'approved' }), 'GET /api/collections/{id}'],
    [requestDecidedMail(given, ada, { ...decided, status: 'denied' }), 'You may ask again'],
    [expiryMail(given, ada, [], 1), 'Ask an administrator to extend'],
    [waitingNotice(given, ada, { total: 1, newest: [waiting()] }, nobodyAsks), 'approve:'],
    [expiriesNotice(given, ada, [], 1), 'extend a grant:'],
  ];
};

test('every mail says what to do next, and where, and templates have the address as a fact', () => {
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

test('a service below a path has its console at the root of the host, as the console expects', () => {
  const { text } = rejectionMail({ ...head, address: `${address}/portico` }, ada, null);
  expect(text).toContain(`service:       ${address}/portico\n`);
  expect(text).toContain(`console:       ${address}/console/\n`);
  expect(text).toContain(`documentation: ${address}/portico/docs\n`);
});

test('without an address no mail names one, and those with credentials say who knows it', () => {
  for (const [{ name, text, html, facts }, next] of everyMail(null)) {
    expect(text).toContain(next);
    for (const body of [text, html]) {
      expect(body).not.toMatch(/https?:|service:|console:|null/);
      expect(body.includes('An administrator can tell you the address of the service')).toBe(
        name === 'credentials' || name === 'rotation',
      );
    }
    expect(facts).toMatchObject({ address: null });
  }
});

test('a rotation mail says who rotated, and until when the previous secret works', () => {
  const ended = rotationMail(head, ada, { ...credentials, previousUntil: null }).text;
  expect(ended).toContain('an administrator has replaced the secret');
  expect(ended).toContain('Your previous secret no longer works.');
  const graced = rotationMail(head, ada, { ...credentials, previousUntil: at }).text;
  expect(graced).toContain('Your previous secret works until 2031-05-06 07:08 UTC.');
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

test('without a reason the mail names none', () => {
  expect(rejectionMail(head, ada, null).text).not.toContain('Reason');
});

test('a notice says how many wait, and gives time, id, address, name and company of each', () => {
  const newest = [waiting({ companyName: 'Eve & Co' }), waiting({ id: 'p-2' as ProfileId, fullName: '<b>Mallory' })];
  const mail = waitingNotice(head, ada, { total: 2, newest }, nobodyAsks);
  expect(mail).toMatchObject({ to: 'ada@example.com', subject: '2 registrations waiting for approval' });
  expect(mail.text).toContain('2031-05-06 07:08 UTC  p-1  eve@example.com  "Eve", "Eve & Co"\n');
  expect(mail.text).toContain('2031-05-06 07:08 UTC  p-2  eve@example.com  "<b>Mallory"\n');
  expect(mail.text).toContain('POST /api/profiles/{id}/approve');
  expect(mail.text).toContain('in 5 minutes at the earliest');
  expect(mail.html).not.toContain('<b>');
  expect(waitingNotice(head, ada, { total: 10_000, newest }, nobodyAsks).text).toContain(
    "10000 registrations are waiting for an administrator's decision; these are the newest 2:",
  );
  expect(waitingNotice(head, ada, { total: 1, newest: [waiting()] }, nobodyAsks)).toMatchObject({
    subject: 'Registration waiting for approval',
    text: expect.stringContaining("a registration is waiting for an administrator's decision:\n") as string,
  });
});

test('a name in a notice is one line of at most 80 units, whatever it holds', () => {
  const fullName = `Eve,\r\n\r\nYour account was locked.\u2028Sign in at\u0085https://evil.example\u202e${'😀'.repeat(60)}`;
  const { text } = waitingNotice(head, ada, { total: 1, newest: [waiting({ fullName })] }, nobodyAsks);
  const line = text.split('\n').find((each) => each.includes('p-1'));
  expect(line).toMatch(
    / {2}"Eve, Your account was locked\. Sign in at https:\/\/evil\.example (?:😀){1,20}\ufffd?…"$/u,
  );
  expect(/"(.*)"$/u.exec(line ?? '')?.[1]?.length).toBe(80);
  expect(/[^\P{Cc}\n]|\p{Bidi_Control}/u.test(text)).toBe(false);
});
