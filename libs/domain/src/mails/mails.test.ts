import { expect, test } from 'vitest';
import type { CallId, ClientId, JobId, ProfileId } from '../ids.ts';
import type { ListedCall } from '../calls/pending-call.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Mail } from './mail.ts';
import { composeExpiriesNotice, composePendingNotice } from './mails-to-admins.ts';
import {
  composeCallDecidedMail,
  composeCredentialsMail,
  composeExpiryMail,
  composeRejectionMail,
  composeRequestDecidedMail,
  composeResumptionMail,
  composeRotationMail,
  composeSuspensionMail,
} from './mails-to-clients.ts';

const head = { id: 'j' as JobId, serviceUrl: null };

const serviceUrl = 'https://portico.example.com';

const ada = { email: 'ada@example.com' };

const credentials = { clientId: 'c-1' as ClientId, secret: 's-1' };

const instant = Date.UTC(2031, 4, 6, 7, 8, 9);

const noRequests = { total: 0, newest: [] };
const noCalls = noRequests;
const decidedCall = {
  ...{ id: 'k-1' as CallId, method: 'DELETE', path: '/stations/{id}', collection: 'Roads' },
  ...{ reason: null, expiresAt: instant },
};

const createPendingProfile = (fields: Partial<Profile> = {}) =>
  ({
    id: 'p-1' as ProfileId,
    email: 'eve@example.com',
    fullName: 'Eve',
    companyName: null,
    createdAt: instant,
    ...fields,
  }) as Profile;

test('the text and the HTML of an email both contain the credentials', () => {
  const mails = [
    composeCredentialsMail(head, ada, credentials),
    composeRotationMail(head, ada, { ...credentials, previousUntil: null }),
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

/** Returns each email with the next step that it mentions. */
const composeAllMails = (publicUrl: string | null): readonly (readonly [Mail, string])[] => {
  const letterhead = { ...head, serviceUrl: publicUrl };
  const decidedRequest = { collection: 'Roads', answer: null, expiresAt: null };
  return [
    [composeCredentialsMail(letterhead, ada, credentials), 'Send them with each call'],
    [composeRotationMail(letterhead, ada, { ...credentials, previousUntil: null }), 'Send them with each call'],
    [composeRejectionMail(letterhead, ada, null), 'ask an administrator of your organisation'],
    [composeSuspensionMail(letterhead, ada, null), 'ask an administrator of your organisation'],
    [composeResumptionMail(letterhead, ada), 'You do not need to do anything'],
    [
      composeRequestDecidedMail(letterhead, ada, { ...decidedRequest, status: 'approved' }),
      'GET /api/collections/{id}',
    ],
    [composeRequestDecidedMail(letterhead, ada, { ...decidedRequest, status: 'denied' }), 'You may ask again'],
    [composeCallDecidedMail(letterhead, ada, { ...decidedCall, status: 'approved' }), 'Repeat the call once'],
    [composeCallDecidedMail(letterhead, ada, { ...decidedCall, status: 'denied' }), 'were deleted'],
    [composeExpiryMail(letterhead, ada, [], 1), 'Ask an administrator to extend'],
    [
      composePendingNotice(letterhead, ada, { total: 1, newest: [createPendingProfile()] }, noRequests, noCalls),
      'approve:',
    ],
    [composeExpiriesNotice(letterhead, ada, [], 1), 'extend a grant:'],
  ];
};

test('every email contains the next step and the URLs, and templates receive the URL of the service', () => {
  for (const [{ text, html, data }, nextStep] of composeAllMails(serviceUrl)) {
    for (const body of [text, html]) {
      expect(body).toContain(nextStep);
      expect(body).toContain(
        `service:       ${serviceUrl}\nconsole:       ${serviceUrl}/console/\ndocumentation: ${serviceUrl}/docs`,
      );
    }
    expect(data).toMatchObject({ address: serviceUrl });
  }
});

test('a service below a path has its console at the root of the host, as the console requires', () => {
  const { text } = composeRejectionMail({ ...head, serviceUrl: `${serviceUrl}/portico` }, ada, null);
  expect(text).toContain(`service:       ${serviceUrl}/portico\n`);
  expect(text).toContain(`console:       ${serviceUrl}/console/\n`);
  expect(text).toContain(`documentation: ${serviceUrl}/portico/docs\n`);
});

test('if the URL of the service is unknown, emails contain no URL, and emails with credentials mention who can provide it', () => {
  for (const [{ name, text, html, data }, nextStep] of composeAllMails(null)) {
    expect(text).toContain(nextStep);
    for (const body of [text, html]) {
      expect(body).not.toMatch(/https?:|service:|console:|null/);
      expect(body.includes('Ask an administrator for the URL of the service')).toBe(
        name === 'credentials' || name === 'rotation',
      );
    }
    expect(data).toMatchObject({ address: null });
  }
});

test('a rotation email states who rotated the secret, and until when the previous one works', () => {
  const immediateRotationText = composeRotationMail(head, ada, { ...credentials, previousUntil: null }).text;
  expect(immediateRotationText).toContain('an administrator has replaced the secret');
  expect(immediateRotationText).toContain('Your previous secret no longer works.');
  const gracePeriodText = composeRotationMail(head, ada, { ...credentials, previousUntil: instant }).text;
  expect(gracePeriodText).toContain('Your previous secret works until 2031-05-06 07:08 UTC.');
});

test('a reason cannot become markup', () => {
  const mail = composeRejectionMail(head, ada, '<script>alert(1)</script>');
  expect(mail.html).not.toContain('<script>');
  expect(mail.html).toContain('&lt;script&gt;');
  expect(mail.text).toContain('Reason: <script>alert(1)</script>');
});

test('a reason keeps its line breaks, but no other control characters', () => {
  expect(composeRejectionMail(head, ada, 'No.\r\n\r\nAsk\u001b[31myour\u202elead\u2028first').text).toContain(
    'Hello,\n\nyour registration was reviewed and rejected.\n\nReason: No.\n\nAsk [31myour lead\n\nfirst\n\n',
  );
});

test('an email without a reason does not mention one', () => {
  expect(composeRejectionMail(head, ada, null).text).not.toContain('Reason');
});

test('a notice contains the number of pending profiles, and time, id, address, name and company of each', () => {
  const newest = [
    createPendingProfile({ companyName: 'Eve & Co' }),
    createPendingProfile({ id: 'p-2' as ProfileId, fullName: '<b>Mallory' }),
  ];
  const mail = composePendingNotice(head, ada, { total: 2, newest }, noRequests, noCalls);
  expect(mail).toMatchObject({ to: 'ada@example.com', subject: '2 registrations waiting for approval' });
  expect(mail.text).toContain('2031-05-06 07:08 UTC  p-1  eve@example.com  "Eve", "Eve & Co"\n');
  expect(mail.text).toContain('2031-05-06 07:08 UTC  p-2  eve@example.com  "<b>Mallory"\n');
  expect(mail.text).toContain('POST /api/profiles/{id}/approve');
  expect(mail.text).toContain('in 5 minutes at the earliest');
  expect(mail.html).not.toContain('<b>');
  expect(composePendingNotice(head, ada, { total: 10_000, newest }, noRequests, noCalls).text).toContain(
    "10000 registrations are waiting for an administrator's decision; these are the newest 2:",
  );
  expect(
    composePendingNotice(head, ada, { total: 1, newest: [createPendingProfile()] }, noRequests, noCalls),
  ).toMatchObject({
    subject: 'Registration waiting for approval',
    text: expect.stringContaining("a registration is waiting for an administrator's decision:\n") as string,
  });
});

test('a notice contains the waiting calls with a link to the console, if its URL is known', () => {
  const call = {
    ...{ id: 'k-1' as CallId, email: 'eve@example.com', collectionName: '<b>Roads', method: 'DELETE' },
    ...{ path: `/stations/{id}\u202e${'x'.repeat(300)}`, requestedAt: instant, expiresAt: instant + 3_600_000 },
  } as ListedCall;
  const compose = (url: string | null) =>
    composePendingNotice({ ...head, serviceUrl: url }, ada, { total: 0, newest: [] }, noRequests, {
      total: 21,
      newest: [call],
    });
  const { subject, text, html, data } = compose(`${serviceUrl}/portico`);
  expect(subject).toBe('21 calls waiting for approval');
  expect(text).toContain(
    "21 calls are waiting for an administrator's decision, for one hour each; these are the newest 1:",
  );
  expect(text).toMatch(
    /2031-05-06 07:08 UTC {2}k-1 {2}eve@example.com {2}"<b>Roads" {2}DELETE \/stations\/\{id\} x{184}…\n/,
  );
  expect(text).toContain(`console:  ${serviceUrl}/console/access/calls\n`);
  expect(text).toContain('POST /api/calls/{id}/approve');
  expect(html).not.toContain('<b>');
  expect(data).toMatchObject({ calls_total: 21, calls: [{ id: 'k-1', expires_at: '2031-05-06 08:08 UTC' }] });
  expect(compose(null).text).not.toContain('console');
});

test('the email about a decided call contains the next step of the caller', () => {
  const approval = composeCallDecidedMail(head, ada, { ...decidedCall, status: 'approved' });
  expect(approval.subject).toBe('Your call to Roads is approved');
  expect(approval.text).toContain('you asked to call DELETE /stations/{id} of "Roads"');
  expect(approval.text).toContain('with the same arguments and "call_id": "k-1", before 2031-05-06 07:08 UTC.');
  const denial = composeCallDecidedMail(head, ada, { ...decidedCall, status: 'denied', reason: 'Use <the> other' });
  expect(denial.text).toContain('Reason: Use <the> other');
  expect(denial.html).toContain('Reason: Use &lt;the&gt; other');
  expect(denial.data).toMatchObject({ status: 'denied', expires_at: null });
});

test('each name in a notice is one line of at most 80 UTF-16 units', () => {
  const fullName = `Eve,\r\n\r\nYour account was locked.\u2028Sign in at\u0085https://evil.example\u202e${'😀'.repeat(60)}`;
  const { text } = composePendingNotice(
    head,
    ada,
    { total: 1, newest: [createPendingProfile({ fullName })] },
    noRequests,
    noCalls,
  );
  const line = text.split('\n').find((textLine) => textLine.includes('p-1'));
  expect(line).toMatch(
    / {2}"Eve, Your account was locked\. Sign in at https:\/\/evil\.example (?:😀){1,20}\ufffd?…"$/u,
  );
  expect(/"(.*)"$/u.exec(line ?? '')?.[1]?.length).toBe(80);
  expect(/[^\P{Cc}\n]|\p{Bidi_Control}/u.test(text)).toBe(false);
});
