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
import { createSmtpMailer, sendTimeoutMs, type SmtpMailer } from '../src/smtp-mailer.ts';

export const sender = 'Portico <noreply@portico.example>';
export const start = Date.UTC(2026, 1, 3, 4, 5, 6, 789);

export const aMail = (changes: Partial<Mail> = {}): Mail => ({
  id: 'a1',
  to: 'ada@example.com',
  subject: 'Your API credentials',
  text: 'client_secret: 123\n',
  html: '<pre>client_secret: 123</pre>',
  name: 'credentials',
  data: {},
  ...changes,
});

let timeOfTest: StoppedTime | null = null;

/**
 * Returns the time of this test, which is stopped until the test lets it pass, so that no timeout expires because the
 * machine is slow.
 */
export const useStoppedTime = (): StoppedTime => {
  if (timeOfTest) return timeOfTest;
  const time = stopTime(vi);
  timeOfTest = time;
  onTestFinished(() => {
    timeOfTest = null;
    time.restore();
  });
  return time;
};

/**
 * The time that passes per step. The server sends its greeting a tenth of a second after the connection is established.
 */
const stepMs = 10;
const stepsOfExchange = 50;
/** The maximum number of steps. Together, they take less time than any timeout. */
const stepsMax = 150;

/** Lets enough time pass for a server to respond. No timeout expires, even if the machine is slow. */
export const whileTimePasses = async <T>(promise: Promise<T>): Promise<T> => {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let steps = 0; !isSettled && steps < stepsMax; steps++) {
    await useStoppedTime().advance(stepMs);
    await sleepInRealTime(steps < stepsOfExchange ? 1 : 100);
  }
  return promise;
};

/** Lets enough time pass for a server to respond, unless it hangs. */
export const letServerRespond = async (): Promise<void> => {
  for (let steps = 0; steps < stepsOfExchange; steps++) {
    await useStoppedTime().advance(stepMs);
    await sleepInRealTime(1);
  }
};

/** Lets all timeouts expire, for a server that hangs. */
export const afterTimeouts = async <T>(promise: Promise<T>): Promise<T> => {
  await letServerRespond();
  await useStoppedTime().advance(sendTimeoutMs);
  return promise;
};

/** Starts a server for one test. Throws if none is available. */
export const startServer = async (options: SmtpServerTestOptions = {}): Promise<TestSmtpServer> => {
  useStoppedTime();
  const smtp = await startSmtpServer(options);
  if (!smtp) throw new Error('No SMTP server is available');
  onTestFinished(() => whileTimePasses(smtp.close()));
  return smtp;
};

export const mailerAt = (url: string, log: Log = recordLog(), from = sender): SmtpMailer => {
  useStoppedTime();
  const mailer = createSmtpMailer({ url, from, clock: { now: () => start }, log });
  onTestFinished(async () => {
    // After this, nothing that `close` would wait for is in flight.
    await useStoppedTime().advance(sendTimeoutMs);
    await whileTimePasses(mailer.close());
  });
  return mailer;
};

/** Returns the error from sending an email to a server that responds, or null if the email was sent. */
export const failureOf = (sending: Promise<void>): Promise<DeliveryError | null> => whileTimePasses(outcomeOf(sending));

/** Returns the error from sending an email to a server that hangs, or null if the email was sent. */
export const failureAfterTimeout = (sending: Promise<void>): Promise<DeliveryError | null> =>
  afterTimeouts(outcomeOf(sending));

/** Returns the error from sending an email, or null if the email was sent. */
export const outcomeOf = async (sending: Promise<void>): Promise<DeliveryError | null> => {
  const [outcome] = await Promise.allSettled([sending]);
  if (outcome.status === 'fulfilled') return null;
  if (outcome.reason instanceof DeliveryError) return outcome.reason;
  throw outcome.reason;
};
