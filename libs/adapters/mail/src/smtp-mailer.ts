import { setTimeout } from 'node:timers/promises';
import { DeliveryError } from '@portico/domain';
import type { Clock, Mailer, Probe } from '@portico/domain';
import {
  CircuitState,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhenResult,
  isBrokenCircuitError,
  isTaskCancelledError,
} from 'cockatiel';
import { createTransport } from 'nodemailer';
import { mailMessage } from './mail-message.ts';
import { createOutage, type OutageLog } from './outage.ts';
import { readSender } from './sender.ts';
import { deliveryErrorFrom, isAboutCredentials, isAboutTheMail } from './smtp-failure.ts';
import { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';

export interface SmtpMailerOptions extends OutageLog {
  /** As `readSmtpUrl` takes it. */
  readonly url: string;
  /** The sender, as `readSender` takes it. */
  readonly from: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Until the server has greeted, TLS included; 10,000 by default. */
  readonly connectMaxMs?: number;
  /** For the whole of a sending; 14,000 by default, so that the port's 15 s hold. */
  readonly sendMaxMs?: number;
  /** How long the circuit stays open, in which every mail fails at once; 5,000 by default. */
  readonly restMs?: number;
}

export interface SmtpMailer extends Mailer {
  /** Not essential: mails wait in the outbox. Connects and says EHLO, without a login. */
  readonly probe: Probe;
  /** Waits a little for what is under way, then ends it; nothing is sent afterwards. */
  close(): Promise<void>;
}

const probeMaxMs = 2_000;
/** Mail servers limit connections, and note each that brings no mail. */
const probeKeptMs = 10_000;
/** So many failures in a row open the circuit. There is no time in which they must fall: a hang alone takes 14 s. */
const failuresMax = 5;
const closeWaitMs = 3_000;
/** What a server has after our end of the connection to close its own. */
const hangUpMs = 1_000;

/**
 * Hands each mail to an SMTP server, over a connection of its own: nothing is tried again here, so that after an unknown
 * outcome there is no second mail but the one that the outbox asks for, and that one has the same `Message-ID`. A circuit
 * breaker stands before a server that cannot be reached, hangs or refuses the login; what it says of one mail is no failure
 * of it. Throws at once where the address or the sender is none.
 */
export const createSmtpMailer = ({
  url,
  from,
  clock,
  warn,
  info,
  connectMaxMs = 10_000,
  sendMaxMs = 14_000,
  restMs = 5_000,
}: SmtpMailerOptions): SmtpMailer => {
  const target = readSmtpUrl(url);
  const sender = readSender(from);
  const connection = connectionOptions(target, connectMaxMs, sendMaxMs);
  const { credentials } = target;
  const transport = createTransport({
    ...connection,
    ...(credentials ? { auth: { user: credentials.user, pass: credentials.password } } : {}),
  });
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const outage = createOutage({ warn, info });
  const isAnswer = (error: unknown) => error === null || isAboutTheMail(error);
  const isFailure = (error: unknown) => !isAnswer(error) && !closing.signal.aborted;
  const circuit = circuitBreaker(handleWhenResult(isFailure), {
    halfOpenAfter: restMs,
    breaker: new ConsecutiveBreaker(failuresMax),
  });
  let lastFailure: DeliveryError | null = null;
  let refusedLogin: DeliveryError | null = null;

  /** The vendor's error, or null where the mail is in other hands. */
  const attempt = (message: ReturnType<typeof mailMessage>, signal: AbortSignal): Promise<unknown> =>
    transport.sendMail({ ...message, signal }).then(
      () => null,
      (error: unknown) => error,
    );

  const deliver = async (message: ReturnType<typeof mailMessage>): Promise<void> => {
    // Behind an open circuit one mail tries first; the others wait for what comes of it, within the same time limit.
    const signal = AbortSignal.any([AbortSignal.timeout(sendMaxMs), closing.signal]);
    const error = await circuit
      .execute(() => attempt(message, signal), signal)
      .catch((reason: unknown) => {
        const isUntried = isBrokenCircuitError(reason) || isTaskCancelledError(reason);
        throw isUntried ? resting(lastFailure) : reason;
      });
    if (circuit.state === CircuitState.Closed && isAnswer(error)) outage.end();
    if (error === null) {
      refusedLogin = null;
      return;
    }
    const failure = deliveryErrorFrom(error);
    if (isAboutCredentials(error)) refusedLogin = failure;
    if (isFailure(error)) lastFailure = failure;
    if (circuit.state === CircuitState.Open) outage.begin(failure.message);
    throw failure;
  };

  const check = async (): Promise<void> => {
    try {
      if (refusedLogin) throw refusedLogin;
      await greet(target, Math.min(probeMaxMs, connectMaxMs));
    } catch (error) {
      outage.begin((error as DeliveryError).message);
      throw error;
    }
    // A server that greets may fail with every mail: then the next mail that goes out is the end of it.
    if (circuit.state === CircuitState.Closed) outage.end();
  };

  return {
    enabled: true,
    async send(mail) {
      if (closing.signal.aborted) throw new DeliveryError('The mailer is closed', false);
      const sending = deliver(mailMessage(mail, { from: sender, date: clock.now() }));
      underWay.add(sending);
      await sending.finally(() => underWay.delete(sending));
    },
    probe: { name: 'smtp', essential: false, keptMs: probeKeptMs, check },
    async close() {
      await Promise.race([Promise.allSettled(underWay), setTimeout(closeWaitMs, undefined, { ref: false })]);
      closing.abort();
      await Promise.allSettled(underWay);
    },
  };
};

/** What a mail is told that was not tried. */
const resting = (lastFailure: DeliveryError | null): DeliveryError =>
  new DeliveryError(`The mail server is left alone after failures: ${lastFailure?.message ?? ''}`, false);

const connectionOptions = ({ host, port, tls }: SmtpTarget, connectMaxMs: number, silenceMaxMs: number) => ({
  host,
  port,
  secure: tls === 'implicit',
  requireTLS: tls === 'required',
  ignoreTLS: tls === 'off',
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says; an authority of one's own is named by NODE_EXTRA_CA_CERTS.
  tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const,
  dnsTimeout: connectMaxMs,
  connectionTimeout: connectMaxMs,
  greetingTimeout: connectMaxMs,
  socketTimeout: silenceMaxMs,
  socketCloseTimeout: hangUpMs,
});

/** Fulfilled once the server has answered EHLO, after TLS where TLS is wanted; there is no login. */
const greet = async (target: SmtpTarget, maxMs: number): Promise<void> => {
  const ended = new AbortController();
  // A server that says something now and then is never silent for long: the whole has its limit, too.
  const late = setTimeout(maxMs, undefined, { signal: ended.signal }).then(() =>
    Promise.reject(new DeliveryError('The mail server did not answer in time', false)),
  );
  try {
    await Promise.race([createTransport(connectionOptions(target, maxMs, maxMs)).verify(), late]);
  } catch (error) {
    throw error instanceof DeliveryError ? error : deliveryErrorFrom(error);
  } finally {
    late.catch(() => undefined);
    ended.abort();
  }
};
