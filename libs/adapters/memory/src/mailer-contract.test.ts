import { mailerContract, type MailerSubject, type ReceivedMail } from '@portico/contracts';
import type { Mail } from '@portico/domain';
import { describe, test } from 'vitest';
import { createMemoryMailer } from './memory-mailer.ts';

const createSubject = (): MailerSubject => {
  const mailer = createMemoryMailer();
  return {
    mailer,
    listReceived: async () => mailer.sentMails.map(toReceivedMail),
    interrupt: async () => mailer.failWith('temporary'),
    resume: async () => mailer.failWith(null),
  };
};

const toReceivedMail = ({ id, to, subject, text, html }: Mail): ReceivedMail => ({
  messageId: `<${id}@portico.local>`,
  recipients: [to],
  subject,
  text,
  html,
  headerNames: ['to', 'subject', 'message-id'],
});

describe('the memory mailer', () => {
  for (const [sentence, check] of Object.entries(mailerContract)) test(sentence, () => check(createSubject()));
});
