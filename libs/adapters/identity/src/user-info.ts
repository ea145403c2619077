import { createOutage, settlesWithin, type Log, type Outage } from '@portico/dependencies';
import { PorticoError, type Clock, type ReportedEmail } from '@portico/domain';
import { LRUCache } from 'lru-cache';
import { discoveryUrlOf, fetchDocument, parseIssuerDocument, UnexpectedStatus } from './provider-documents.ts';
import { reportedEmailOf } from './token-rules.ts';

export interface UserInfoOptions {
  readonly issuer: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The timeout for both requests together: discovery and the endpoint. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** How long an answer about a user is used, whichever of the user's tokens is presented. */
export const answerTtlMs = 30_000;
/** The pause after a failed request. */
export const answerRetryMs = 10_000;
/** How long the address of the endpoint is used. */
const endpointTtlMs = 60 * 60_000;
const answersMax = 10_000;
const closeTimeoutMs = 1_000;

/** The statuses with which an issuer refuses a token, or has no such document. */
const refusals = [400, 401, 403, 404];

/**
 * An issuer's UserInfo endpoint (OpenID Connect Core 1.0, section 5.3). It is asked at most once in `answerTtlMs` for each
 * user, however many of the user's tokens are presented.
 */
export class UserInfo {
  readonly #options: UserInfoOptions;
  readonly #closeController = new AbortController();
  readonly #outage: Outage;
  readonly #answers: LRUCache<string, Promise<ReportedEmail | null>>;
  readonly #pending = new Set<Promise<unknown>>();
  #endpoint: { readonly url: string | null; readonly until: number } | null = null;

  constructor(options: UserInfoOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, {
      recoveryMessage: 'The identity provider can be asked about the owners of access tokens again',
    });
    const perf = { now: () => options.clock.monotonic() };
    this.#answers = new LRUCache({ max: answersMax, ttl: answerTtlMs, ttlResolution: 0, perf });
  }

  /**
   * Returns the email address that the issuer reports for the bearer of the token; null if it reports none, or a
   * different user. Throws `identity_unavailable`.
   */
  async read(token: string, uid: string): Promise<ReportedEmail | null> {
    const cachedAnswer = this.#answers.get(uid);
    if (cachedAnswer) return cachedAnswer;
    const answer = this.#ask(token, uid);
    this.#answers.set(uid, answer);
    this.#pending.add(answer);
    try {
      return await answer;
    } catch (error) {
      this.#answers.set(uid, answer, { ttl: answerRetryMs });
      throw error;
    } finally {
      this.#pending.delete(answer);
    }
  }

  /** Aborts any request. */
  async close(): Promise<void> {
    this.#closeController.abort(new Error('The service is shutting down'));
    await settlesWithin(closeTimeoutMs, Promise.allSettled(this.#pending));
  }

  async #ask(token: string, uid: string): Promise<ReportedEmail | null> {
    const signal = AbortSignal.any([AbortSignal.timeout(this.#options.timeoutMs), this.#closeController.signal]);
    try {
      const url = await this.#findEndpoint(signal);
      const text = url === null ? null : await this.#fetch(url, signal, token);
      this.#outage.end();
      return text === null ? null : this.#parse(text, uid);
    } catch (error) {
      const message =
        'The identity provider could not be asked about the owner of an access token: people who have only an access ' +
        'token cannot sign in for the first time until it is available again';
      if (!this.#closeController.signal.aborted) this.#outage.start({ message, fields: { err: error } });
      throw new PorticoError('identity_unavailable', { cause: error });
    }
  }

  async #findEndpoint(signal: AbortSignal): Promise<string | null> {
    const { issuer, clock } = this.#options;
    if (this.#endpoint && clock.monotonic() < this.#endpoint.until) return this.#endpoint.url;
    const text = await this.#fetch(discoveryUrlOf(issuer), signal, null);
    const url = text === null ? null : parseUserInfoUrl(text, issuer);
    this.#endpoint = { url, until: clock.monotonic() + endpointTtlMs };
    return url;
  }

  /** Fetches a document; null if the issuer refuses. */
  async #fetch(url: string, signal: AbortSignal, token: string | null): Promise<string | null> {
    try {
      return (await fetchDocument(url, signal, token === null ? {} : { authorization: `Bearer ${token}` })).text;
    } catch (error) {
      if (error instanceof UnexpectedStatus && refusals.includes(error.status)) return null;
      throw error;
    }
  }

  #parse(text: string, uid: string): ReportedEmail | null {
    const claims = parseClaims(text);
    // A response about a different user must not be used (OpenID Connect Core 1.0, section 5.3.2).
    if (claims?.['sub'] === uid) return reportedEmailOf(claims);
    const problem = claims ? 'is about a different user' : 'is not a JSON object';
    this.#options.log.warn(
      { uid },
      `A response of the identity provider's UserInfo endpoint ${problem}: it is ignored`,
    );
    return null;
  }
}

/**
 * Returns the URL of the endpoint from a discovery document; null if there is none. Throws if the document is for a
 * different issuer, or if an issuer that uses https refers us to plain http.
 */
const parseUserInfoUrl = (text: string, issuer: string): string | null => {
  const { userinfo_endpoint: url } = parseIssuerDocument(text, issuer);
  if (typeof url !== 'string') return null;
  if (issuer.startsWith('https:') && !url.startsWith('https:')) throw new Error(`${url} is not https`);
  return url;
};

const parseClaims = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
};
