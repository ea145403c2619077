import { recordLog } from '@portico/contracts';
import { DeliveryError, type Mail } from '@portico/domain';
import { startSmtpServer, type SmtpServerTestOptions, type TestSmtpServer } from '@portico/test-servers';
import { onTestFinished } from 'vitest';
import { createSmtpMailer, type SmtpMailer, type SmtpMailerOptions } from '../src/smtp-mailer.ts';

export const sender = 'Portico <noreply@portico.example>';
export const start = Date.UTC(2026, 1, 3, 4, 5, 6, 789);

export const aMail = (changes: Partial<Mail> = {}): Mail => ({
  id: 'a1',
  to: 'ada@example.com',
  subject: 'Your API credentials',
  text: 'client_secret: 123\n',
  html: '<pre>client_secret: 123</pre>',
  name: 'credentials',
  facts: {},
  ...changes,
});

/** Registers the cleanup of a test; a concurrent test passes its own. */
type AtTheEnd = (end: () => Promise<void>) => void;

/** A server for one test; throws if none is available. */
export const server = async (
  options: SmtpServerTestOptions = {},
  atTheEnd: AtTheEnd = onTestFinished,
): Promise<TestSmtpServer> => {
  const smtp = await startSmtpServer(options);
  if (!smtp) throw new Error('No SMTP server is available');
  atTheEnd(() => smtp.close());
  return smtp;
};

export const mailerAt = (
  url: string,
  more: Partial<SmtpMailerOptions> = {},
  atTheEnd: AtTheEnd = onTestFinished,
): SmtpMailer => {
  const clock = { now: () => start };
  const mailer = createSmtpMailer({ url, from: sender, clock, log: recordLog(), ...more });
  atTheEnd(() => mailer.close());
  return mailer;
};

/** The failure of a sending, or null if the mail was sent. */
export const failureOf = async (sending: Promise<void>): Promise<DeliveryError | null> => {
  const [outcome] = await Promise.allSettled([sending]);
  if (outcome.status === 'fulfilled') return null;
  if (outcome.reason instanceof DeliveryError) return outcome.reason;
  throw outcome.reason;
};
