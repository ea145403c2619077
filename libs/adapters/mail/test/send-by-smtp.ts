import { recordLog } from '@portico/contracts';
import type { Log } from '@portico/dependencies';
import { DeliveryError, type Mail } from '@portico/domain';
import {
  sleepInRealTime,
  startSmtpServer,
  stopTime,
  type SmtpServerTestOptions,
  type StoppedTime,
  type TestSmtpServer,
} from '@portico/test-servers';
import { onTestFinished, vi } from 'vitest';
import { createSmtpMailer, type SmtpMailer } from '../src/smtp-mailer.ts';

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

let ofThisTest: StoppedTime | null = null;

/** The time of this test, which stands still until the test lets it pass: no limit strikes because a machine is slow. */
export const stoppedTime = (): StoppedTime => {
  if (ofThisTest) return ofThisTest;
  const time = stopTime(vi);
  ofThisTest = time;
  onTestFinished(() => {
    ofThisTest = null;
    time.goOn();
  });
  return time;
};

/** Lets half a second pass, in which a server that answers has answered: it greets after a tenth of a second. */
export const exchange = async (isOver = () => false): Promise<void> => {
  for (let steps = 0; steps < 20 && !isOver(); steps++) {
    await stoppedTime().pass(25);
    await sleepInRealTime(1);
  }
};

/** Lets time pass until it settles: first as much as a server needs that answers, then two minutes at most. */
export const passing = async <T>(promise: Promise<T>): Promise<T> => {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await exchange(() => isSettled);
  for (let seconds = 0; !isSettled; seconds++) {
    if (seconds === 120) throw new Error('Nothing came of it');
    await stoppedTime().pass(1_000);
  }
  return promise;
};

/** A server for one test; throws if none is available. */
export const server = async (options: SmtpServerTestOptions = {}): Promise<TestSmtpServer> => {
  stoppedTime();
  const smtp = await startSmtpServer(options);
  if (!smtp) throw new Error('No SMTP server is available');
  onTestFinished(() => passing(smtp.close()));
  return smtp;
};

export const mailerAt = (url: string, log: Log = recordLog(), from = sender): SmtpMailer => {
  stoppedTime();
  const mailer = createSmtpMailer({ url, from, clock: { now: () => start }, log });
  onTestFinished(() => passing(mailer.close()));
  return mailer;
};

/** The failure of a sending, or null if the mail was sent; time passes as it must. */
export const failureOf = (sending: Promise<void>): Promise<DeliveryError | null> => passing(outcomeOf(sending));

/** The failure of a sending, or null if the mail was sent. */
export const outcomeOf = async (sending: Promise<void>): Promise<DeliveryError | null> => {
  const [outcome] = await Promise.allSettled([sending]);
  if (outcome.status === 'fulfilled') return null;
  if (outcome.reason instanceof DeliveryError) return outcome.reason;
  throw outcome.reason;
};
