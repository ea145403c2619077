import { createOutage, settlesWithin, type Log, type Outage } from '@portico/dependencies';
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
import { createTransport, type Transporter } from 'nodemailer';
import { mailMessage } from './mail-message.ts';
import { readSender } from './sender.ts';
import { connectionOptions, greet } from './smtp-connection.ts';
import { deliveryErrorFrom, isAboutCredentials, isAboutTheMail } from './smtp-failure.ts';
import { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';

export interface SmtpMailerOptions {
  readonly log: Log;
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

/**
 * Hands each mail to an SMTP server, over a connection of its own: nothing is tried again here, so that after an unknown
 * outcome there is no second mail but the one that the outbox asks for, and that one has the same `Message-ID`. A circuit
 * breaker stands before a server that cannot be reached, hangs or refuses the login; what it says of one mail is no failure
 * of it. Throws at once where the address or the sender is none.
 */
export const createSmtpMailer = (options: SmtpMailerOptions): SmtpMailer => {
  const { clock } = options;
  const sender = readSender(options.from);
  const server = new SmtpServer(readSmtpUrl(options.url), options);
  return {
    enabled: true,
    send: async (mail) => server.take(mailMessage(mail, { from: sender, date: clock.now() })),
    probe: { name: 'smtp', essential: false, keptMs: probeKeptMs, check: () => server.check() },
    close: () => server.close(),
  };
};

type Message = ReturnType<typeof mailMessage>;

class SmtpServer {
  readonly #target: SmtpTarget;
  readonly #connectMaxMs: number;
  readonly #sendMaxMs: number;
  readonly #transport: Transporter;
  readonly #circuit;
  readonly #outage: Outage;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #lastFailure: DeliveryError | null = null;
  #refusedLogin: DeliveryError | null = null;

  constructor(
    target: SmtpTarget,
    { log, connectMaxMs = 10_000, sendMaxMs = 14_000, restMs = 5_000 }: Omit<SmtpMailerOptions, 'url'>,
  ) {
    const { credentials } = target;
    this.#target = target;
    this.#connectMaxMs = connectMaxMs;
    this.#sendMaxMs = sendMaxMs;
    this.#transport = createTransport({
      ...connectionOptions(target, connectMaxMs, sendMaxMs),
      ...(credentials ? { auth: { user: credentials.user, pass: credentials.password } } : {}),
    });
    this.#circuit = circuitBreaker(
      handleWhenResult((error) => this.#isFailure(error)),
      { halfOpenAfter: restMs, breaker: new ConsecutiveBreaker(failuresMax) },
    );
    this.#outage = createOutage(log, { back: 'The mail server takes mails again' });
  }

  async take(message: Message): Promise<void> {
    if (this.#closing.signal.aborted) throw new DeliveryError('The mailer is closed', false);
    const sending = this.#deliver(message);
    this.#underWay.add(sending);
    await sending.finally(() => this.#underWay.delete(sending));
  }

  async check(): Promise<void> {
    try {
      if (this.#refusedLogin) throw this.#refusedLogin;
      await greet(this.#target, Math.min(probeMaxMs, this.#connectMaxMs));
    } catch (error) {
      this.#beginOutage(error as DeliveryError);
      throw error;
    }
    // A server that greets may fail with every mail: then the next mail that goes out is the end of it.
    if (this.#circuit.state === CircuitState.Closed) this.#outage.end();
  }

  async close(): Promise<void> {
    await settlesWithin(closeWaitMs, Promise.allSettled(this.#underWay));
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
  }

  async #deliver(message: Message): Promise<void> {
    // Behind an open circuit one mail tries first; the others wait for what comes of it, within the same time limit.
    const signal = AbortSignal.any([AbortSignal.timeout(this.#sendMaxMs), this.#closing.signal]);
    const error = await this.#circuit
      .execute(() => this.#attempt(message, signal), signal)
      .catch((reason: unknown) => {
        const isUntried = isBrokenCircuitError(reason) || isTaskCancelledError(reason);
        throw isUntried ? untried(this.#lastFailure) : reason;
      });
    if (this.#circuit.state === CircuitState.Closed && isAnswer(error)) this.#outage.end();
    if (error === null) {
      this.#refusedLogin = null;
      return;
    }
    const failure = deliveryErrorFrom(error);
    if (isAboutCredentials(error)) this.#refusedLogin = failure;
    if (this.#isFailure(error)) this.#lastFailure = failure;
    if (this.#circuit.state === CircuitState.Open) this.#beginOutage(failure);
    throw failure;
  }

  /** The vendor's error, or null where the mail is in other hands. */
  #attempt(message: Message, signal: AbortSignal): Promise<unknown> {
    return this.#transport.sendMail({ ...message, signal }).then(
      () => null,
      (error: unknown) => error,
    );
  }

  #isFailure(error: unknown): boolean {
    return !isAnswer(error) && !this.#closing.signal.aborted;
  }

  #beginOutage({ message }: DeliveryError): void {
    this.#outage.begin({ message: `The mail server takes no mails; they wait in the outbox: ${message}` });
  }
}

/** Whether the server has taken the mail, or judged this mail alone. */
const isAnswer = (error: unknown): boolean => error === null || isAboutTheMail(error);

const untried = (lastFailure: DeliveryError | null): DeliveryError =>
  new DeliveryError(`The mail server is not asked after repeated failures: ${lastFailure?.message ?? ''}`, false);
