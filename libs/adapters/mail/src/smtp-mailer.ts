import { createOutage, settlesWithin, type Log, type Outage } from '@portico/dependencies';
import { type Clock, DeliveryError, type Mailer, type Probe } from '@portico/domain';
import {
  CircuitState,
  circuitBreaker,
  ConsecutiveBreaker,
  handleWhenResult,
  isBrokenCircuitError,
  isTaskCancelledError,
} from 'cockatiel';
import { createTransport, type Transporter } from 'nodemailer';
import { createMailMessage } from './mail-message.ts';
import { readSender } from './sender.ts';
import { createConnectionOptions, greet, createLoginOptions } from './smtp-connection.ts';
import { toDeliveryError, isCredentialsError, isMailRejection } from './smtp-failure.ts';
import { readSmtpUrl, type SmtpTarget } from './smtp-url.ts';

export interface SmtpMailerOptions {
  readonly log: Log;
  /** The server's URL, in the format that `readSmtpUrl` parses. */
  readonly url: string;
  /** The sender, in the format that `readSender` parses. */
  readonly from: string;
  readonly clock: Pick<Clock, 'now'>;
}

export interface SmtpMailer extends Mailer {
  /**
   * The probe of the server, not essential because emails wait in the outbox. Connects and sends EHLO, without logging
   * in.
   */
  readonly probe: Probe;
  /** Waits briefly for emails in flight, then aborts them. Sends nothing afterwards. */
  close(): Promise<void>;
}

/** The timeout for receiving the server's greeting, including TLS. */
const connectTimeoutMs = 10_000;
/** The timeout for sending one email. Must be less than the 15 s that the port allows. */
export const sendTimeoutMs = 14_000;
export const probeTimeoutMs = 2_000;
/** How long the result of a probe is reused: mail servers limit connections, and log each connection without an email. */
const probeTtlMs = 10_000;
/**
 * The number of consecutive failures that opens the circuit, regardless of how long they take: a single hang takes 14
 * s.
 */
export const failuresMax = 5;
/** How long the circuit remains open. During this time, every email fails immediately. */
export const circuitOpenMs = 5_000;
const closeTimeoutMs = 3_000;

/**
 * Creates a mailer that sends each email to an SMTP server, over a separate connection. Does not retry: if the outcome
 * is unknown, a second email is sent only if the outbox requests it, with the same `Message-ID`. A circuit breaker opens
 * if the server repeatedly cannot be reached, hangs or rejects the login; the rejection of a single email does not
 * count. Throws immediately if the URL or the sender is invalid.
 */
export const createSmtpMailer = (options: SmtpMailerOptions): SmtpMailer => {
  const { clock } = options;
  const sender = readSender(options.from);
  const server = new SmtpServer(readSmtpUrl(options.url), options.log);
  return {
    enabled: true,
    send: async (mail) => server.send(createMailMessage(mail, { from: sender, date: clock.now() })),
    probe: { name: 'smtp', essential: false, resultTtlMs: probeTtlMs, check: () => server.check() },
    close: () => server.close(),
  };
};

type Message = ReturnType<typeof createMailMessage>;

class SmtpServer {
  readonly #target: SmtpTarget;
  readonly #transport: Transporter;
  readonly #circuit;
  readonly #outage: Outage;
  readonly #closeController = new AbortController();
  readonly #inFlight = new Set<Promise<unknown>>();
  #lastFailure: DeliveryError | null = null;
  #loginError: DeliveryError | null = null;

  constructor(target: SmtpTarget, log: Log) {
    this.#target = target;
    this.#transport = createTransport({
      ...createConnectionOptions(target, connectTimeoutMs, sendTimeoutMs),
      ...createLoginOptions(target.credentials),
    });
    this.#circuit = circuitBreaker(
      handleWhenResult((error) => this.#isFailure(error)),
      { halfOpenAfter: circuitOpenMs, breaker: new ConsecutiveBreaker(failuresMax) },
    );
    this.#outage = createOutage(log, { recoveryMessage: 'The mail server accepts emails again' });
  }

  async send(message: Message): Promise<void> {
    if (this.#closeController.signal.aborted) throw new DeliveryError('The mailer is closed', false);
    const delivery = this.#deliver(message);
    this.#inFlight.add(delivery);
    await delivery.finally(() => this.#inFlight.delete(delivery));
  }

  async check(): Promise<void> {
    try {
      if (this.#loginError) throw this.#loginError;
      await greet(this.#target, probeTimeoutMs);
    } catch (error) {
      this.#beginOutage(error as DeliveryError);
      throw error;
    }
    // A server that responds to a greeting may still fail every email. In that case, only an email that it accepts or
    // rejects ends the outage.
    if (this.#circuit.state === CircuitState.Closed) this.#outage.end();
  }

  async close(): Promise<void> {
    await settlesWithin(closeTimeoutMs, Promise.allSettled(this.#inFlight));
    this.#closeController.abort();
    await Promise.allSettled(this.#inFlight);
  }

  async #deliver(message: Message): Promise<void> {
    // When the circuit is half-open, one email tests the server. Other emails wait for the outcome, within the same
    // timeout.
    const signal = AbortSignal.any([AbortSignal.timeout(sendTimeoutMs), this.#closeController.signal]);
    const error = await this.#circuit
      .execute(() => this.#attempt(message, signal), signal)
      .catch((reason: unknown) => {
        const isNotTried = isBrokenCircuitError(reason) || isTaskCancelledError(reason);
        throw isNotTried ? createNotTriedError(this.#lastFailure) : reason;
      });
    if (this.#circuit.state === CircuitState.Closed && isMailDecision(error)) this.#outage.end();
    if (error === null) {
      this.#loginError = null;
      return;
    }
    const failure = toDeliveryError(error);
    if (isCredentialsError(error)) this.#loginError = failure;
    if (this.#isFailure(error)) this.#lastFailure = failure;
    if (this.#circuit.state === CircuitState.Open) this.#beginOutage(failure);
    throw failure;
  }

  /** Resolves to the vendor's error, or null if the server accepted the email. */
  #attempt(message: Message, signal: AbortSignal): Promise<unknown> {
    return this.#transport.sendMail({ ...message, signal }).then(
      () => null,
      (error: unknown) => error,
    );
  }

  #isFailure(error: unknown): boolean {
    return !isMailDecision(error) && !this.#closeController.signal.aborted;
  }

  #beginOutage({ message }: DeliveryError): void {
    this.#outage.start({ message: `The mail server accepts no emails; they wait in the outbox: ${message}` });
  }
}

/** Whether the server accepted the email, or rejected only this email. */
const isMailDecision = (error: unknown): boolean => error === null || isMailRejection(error);

const createNotTriedError = (lastFailure: DeliveryError | null): DeliveryError =>
  new DeliveryError(`The mail server failed repeatedly; sending is paused: ${lastFailure?.message ?? ''}`, false);
