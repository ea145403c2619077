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
import { createSmtpMailer, sendMaxMs, type SmtpMailer } from '../src/smtp-mailer.ts';

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

/** The server greets a tenth of a second after it was called. */
const stepMs = 10;
const stepsOfExchange = 50;
/** Together they take less than any limit. */
const stepsMax = 150;

/** Lets as much time pass as a server needs that answers. A machine may be slow meanwhile: no limit strikes. */
export const passing = async <T>(promise: Promise<T>): Promise<T> => {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let steps = 0; !isSettled && steps < stepsMax; steps++) {
    await stoppedTime().pass(stepMs);
    await sleepInRealTime(steps < stepsOfExchange ? 1 : 100);
  }
  return promise;
};

/** Lets a server answer that does. */
export const exchange = async (): Promise<void> => {
  for (let steps = 0; steps < stepsOfExchange; steps++) {
    await stoppedTime().pass(stepMs);
    await sleepInRealTime(1);
  }
};

/** Lets as much time pass as anything may take that involves a server which hangs. */
export const passingLimits = async <T>(promise: Promise<T>): Promise<T> => {
  await exchange();
  await stoppedTime().pass(sendMaxMs);
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
  onTestFinished(async () => {
    // Then nothing is under way that it would wait for.
    await stoppedTime().pass(sendMaxMs);
    await passing(mailer.close());
  });
  return mailer;
};

/** The failure of a sending to a server that answers, or null if the mail was sent. */
export const failureOf = (sending: Promise<void>): Promise<DeliveryError | null> => passing(outcomeOf(sending));

/** The failure of a sending to a server that hangs. */
export const lateFailureOf = (sending: Promise<void>): Promise<DeliveryError | null> =>
  passingLimits(outcomeOf(sending));

/** The failure of a sending, or null if the mail was sent. */
export const outcomeOf = async (sending: Promise<void>): Promise<DeliveryError | null> => {
  const [outcome] = await Promise.allSettled([sending]);
  if (outcome.status === 'fulfilled') return null;
  if (outcome.reason instanceof DeliveryError) return outcome.reason;
  throw outcome.reason;
};
