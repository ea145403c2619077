import assert from 'node:assert/strict';
import { DeliveryError, type Mail, type Mailer } from '@portico/domain';
import type { Contract } from './contract.ts';

/** An email as its recipient receives it. */
export interface ReceivedMail {
  /** The message id, including its angle brackets. */
  readonly messageId: string;
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The names of all headers of the email, in lower case. */
  readonly headerNames: readonly string[];
}

/** A mailer that sends, the emails that it has delivered, and a switch that interrupts its dependencies. */
export interface MailerSubject {
  readonly mailer: Mailer;
  readonly listReceived: () => Promise<readonly ReceivedMail[]>;
  /** Makes every delivery fail from now on. */
  readonly interrupt: () => Promise<void>;
  /** Ends the interruption. */
  readonly resume: () => Promise<void>;
}

const aMail = (changes: Partial<Mail> = {}): Mail => ({
  id: '5f0c1f1e-6f6b-4c3e-9d43-0a8f6a1f2b3c',
  to: 'ada@example.com',
  subject: 'Your access to Portico',
  text: 'Hello Ada,\n\nyour key is ready.\n',
  html: '<p>Hello Ada,</p><p>your key is ready.</p>',
  name: 'credentials',
  data: {},
  ...changes,
});

const receiveMail = async ({ listReceived }: MailerSubject): Promise<ReceivedMail> => {
  const [mail, ...more] = await listReceived();
  assert.ok(mail, 'no mail arrived');
  assert.deepEqual(more, [], 'more than one email arrived');
  return mail;
};

/** Normalizes line endings, which may change in transit. */
const normalizeLineEndings = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd();

/** Returns the reason why the email was not sent, or null if it was sent. */
const failureOf = async (attempt: Promise<void>): Promise<unknown> => {
  const [outcome] = await Promise.allSettled([attempt]);
  return outcome.status === 'rejected' ? outcome.reason : null;
};

export const mailerContract = {
  'a mailer that sends is enabled': async ({ mailer }) => {
    assert.equal(mailer.enabled, true);
  },

  'the email has been handed over once the promise is fulfilled': async (subject) => {
    await subject.mailer.send(aMail());
    await receiveMail(subject);
  },

  'an email goes only to its recipient': async (subject) => {
    await subject.mailer.send(aMail());
    assert.deepEqual((await receiveMail(subject)).recipients, ['ada@example.com']);
  },

  'an email arrives with its subject, its text and its HTML': async (subject) => {
    const mail = aMail();
    await subject.mailer.send(mail);
    const { subject: line, text, html } = await receiveMail(subject);
    assert.deepEqual(
      { line, text: normalizeLineEndings(text), html: normalizeLineEndings(html) },
      { line: mail.subject, text: normalizeLineEndings(mail.text), html: mail.html },
    );
  },

  'text in any script, long lines and lines of dots arrive unchanged': async (subject) => {
    const mail = aMail({
      subject: `Zugang für Łukasz 😀 — ${'sehr '.repeat(60)}lang`,
      text: `Grüße, 你好 😀\n.\n..\nFrom here\n=3D ${'x'.repeat(2000)}\n`,
      html: `<p title="ü=&quot;">你好 😀 ${'y'.repeat(2000)}</p>`,
    });
    await subject.mailer.send(mail);
    const { subject: line, text, html } = await receiveMail(subject);
    assert.deepEqual(
      { line, text: normalizeLineEndings(text), html: normalizeLineEndings(html) },
      { line: mail.subject, text: normalizeLineEndings(mail.text), html: mail.html },
    );
  },

  'the id of an email is the local part of its Message-ID': async (subject) => {
    await subject.mailer.send(aMail());
    assert.match((await receiveMail(subject)).messageId, /^<5f0c1f1e-6f6b-4c3e-9d43-0a8f6a1f2b3c@[^@<>\s]+>$/);
  },

  'an email that is sent again has the same Message-ID': async ({ mailer, listReceived }) => {
    await mailer.send(aMail());
    const [firstMail] = await listReceived();
    await mailer.send(aMail());
    assert.deepEqual(
      [...new Set((await listReceived()).map(({ messageId }) => messageId))],
      firstMail ? [firstMail.messageId] : assert.fail('no mail arrived'),
    );
  },

  'emails with different ids are different emails': async ({ mailer, listReceived }) => {
    await mailer.send(aMail());
    await mailer.send(aMail({ id: 'another', to: 'bob@example.com' }));
    const recipients = (await listReceived()).flatMap((mail) => mail.recipients);
    assert.deepEqual([...recipients].sort(), ['ada@example.com', 'bob@example.com']);
  },

  'a line break in the subject adds no header': async (subject) => {
    await subject.mailer.send(aMail({ subject: 'Hello\r\nBcc: eve@example.com\nX-Evil: 1\rX-Worse: 1' }));
    const { recipients, headerNames } = await receiveMail(subject);
    assert.deepEqual(recipients, ['ada@example.com']);
    assert.deepEqual(
      headerNames.filter((name) => ['bcc', 'x-evil', 'x-worse'].includes(name)),
      [],
    );
  },

  'control characters, line separators and bidirectional controls are removed from the subject': async (subject) => {
    await subject.mailer.send(aMail({ subject: 'Hello\u2028you,\u202e\u001b[2J there\u0085' }));
    assert.equal((await receiveMail(subject)).subject, 'Hello you, [2J there');
  },

  'a recipient that is not exactly one address causes a permanent failure': async ({ mailer, listReceived }) => {
    for (const to of [
      'ada@example.com\r\nBcc: eve@example.com',
      'ada@example.com, eve@example.com',
      'Eve <eve@example.com>',
      'eve@example.com>, <ada@example.com',
      'ada@example.com\u2028eve@example.com',
      'ada@example.com\u202e',
      'no address',
      '',
    ]) {
      const failure = await failureOf(mailer.send(aMail({ to })));
      assert.ok(failure instanceof DeliveryError, `${JSON.stringify(to)}: ${String(failure)}`);
      assert.equal(failure.permanent, true);
    }
    assert.deepEqual(await listReceived(), []);
  },

  'a failure is a DeliveryError that does not quote any part of the email': async (subject) => {
    const mail = aMail();
    await subject.interrupt();
    const failure = await failureOf(subject.mailer.send(mail));
    assert.ok(failure instanceof DeliveryError, String(failure));
    for (const part of [mail.to, mail.subject, 'your key is ready', mail.id]) {
      assert.ok(!failure.message.includes(part), `the message contains ${JSON.stringify(part)}`);
    }
  },

  'a temporary failure is not permanent, and the email can be sent later': async (subject) => {
    await subject.interrupt();
    const failure = await failureOf(subject.mailer.send(aMail()));
    assert.ok(failure instanceof DeliveryError, String(failure));
    assert.equal(failure.permanent, false);
    assert.deepEqual(await subject.listReceived(), []);
    await subject.resume();
    await subject.mailer.send(aMail());
    await receiveMail(subject);
  },
} satisfies Contract<MailerSubject>;
