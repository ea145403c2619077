import { mailerContract, type MailerSubject, type ReceivedMail, type Sabotages } from '@portico/contracts';
import { DeliveryError, type Mail } from '@portico/domain';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryMailer } from './memory-mailer.ts';

const createSubject = (): MailerSubject => {
  const mailer = createMemoryMailer();
  return {
    mailer,
    received: async () => mailer.sent.map(asReceived),
    interrupt: async () => mailer.failWith('for now'),
    resume: async () => mailer.failWith(null),
  };
};

const asReceived = ({ id, to, subject, text, html }: Mail): ReceivedMail => ({
  messageId: `<${id}@portico.local>`,
  recipients: [to],
  subject,
  text,
  html,
  headerNames: ['to', 'subject', 'message-id'],
});

type Sabotage = (subject: MailerSubject) => MailerSubject;

const onSend =
  (send: (subject: MailerSubject, mail: Mail) => Promise<void>): Sabotage =>
  (subject) => ({ ...subject, mailer: { enabled: true, send: (mail) => send(subject, mail) } });

const onReceived =
  (change: (mail: ReceivedMail, index: number) => ReceivedMail): Sabotage =>
  (subject) => ({ ...subject, received: async () => (await subject.received()).map(change) });

/** Fails with a different error than the mailer. */
const failing = (failureOf: (mail: Mail, permanent: boolean) => Error): Sabotage =>
  onSend(async ({ mailer }, mail) => {
    try {
      await mailer.send(mail);
    } catch (error) {
      throw failureOf(mail, error instanceof DeliveryError && error.permanent);
    }
  });

const sabotages: Sabotages<typeof mailerContract, MailerSubject> = {
  'a mailer that sends is enabled': (subject) => ({ ...subject, mailer: { ...subject.mailer, enabled: false } }),
  'once the promise is fulfilled, the mail has been handed over': onSend(async ({ mailer }, mail) => {
    setTimeout(() => void mailer.send(mail), 5);
  }),
  'a mail goes only to its recipient': onReceived((mail) => ({
    ...mail,
    recipients: [...mail.recipients, 'archive@example.com'],
  })),
  'a mail arrives with its subject, its text and its HTML': onReceived((mail) => ({ ...mail, html: mail.text })),
  'every script, long lines and lines of dots arrive unchanged': onReceived((mail) => ({
    ...mail,
    text: mail.text.replaceAll('\n..', '\n.'),
  })),
  'the id of a mail is the local part of its Message-ID': onReceived((mail) => ({ ...mail, messageId: '<1@x>' })),
  'a mail that is sent again has the same Message-ID': onReceived((mail, index) => ({
    ...mail,
    messageId: mail.messageId.replace('@', `.${index}@`),
  })),
  'mails with different ids are different mails': onSend(async ({ mailer, received }, mail) => {
    if ((await received()).length === 0) await mailer.send(mail);
  }),
  'a line break in the subject adds no header': onReceived((mail) => ({
    ...mail,
    headerNames: mail.subject.includes('X-Evil') ? [...mail.headerNames, 'x-evil'] : mail.headerNames,
  })),
  'a subject loses control characters, line separators and bidirectional controls': onReceived((mail) => ({
    ...mail,
    subject: mail.subject.replace('you,', 'you,\u202e'),
  })),
  'a recipient that is not exactly one address is a permanent failure': onSend(({ mailer }, mail) =>
    mailer.send({ ...mail, to: mail.to.split(',')[0] ?? '' }),
  ),
  'a failure is a DeliveryError that quotes no part of the mail': failing(
    ({ to }, permanent) => new DeliveryError(`550 ${to} is unknown`, permanent),
  ),
  'a temporary failure is not permanent, and the mail can be sent later': failing(
    () => new DeliveryError('The server is away', true),
  ),
};

proveContract(mailerContract, sabotages, createSubject);
