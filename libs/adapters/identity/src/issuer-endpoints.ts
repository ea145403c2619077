import { createOutage, settlesWithin, type Log, type Outage } from '@portico/dependencies';
import type { Clock } from '@portico/domain';
import { discoveryUrlOf, fetchDocument, parseIssuerDocument } from './provider-documents.ts';
import type { KeySetStorage } from './remote-key-source.ts';

export interface IssuerEndpointsOptions {
  readonly issuer: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Stores the last known endpoints, so that they survive a restart while the provider is down. */
  readonly storage: KeySetStorage;
  readonly timeoutMs: number;
  readonly log: Log;
}

/** The age at which endpoints are refreshed in the background. */
export const endpointsTtlMs = 60 * 60_000;
/** The pause after a failed refresh. */
export const endpointsRetryMs = 30_000;

/** How long `close` waits for storage that hangs. */
const closeTimeoutMs = 1_000;

/**
 * The endpoints that a browser calls to sign in, renew tokens or sign out (OpenID Connect Discovery 1.0, section 3).
 */
const browserEndpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'end_session_endpoint',
  'revocation_endpoint',
] as const;

/** The URLs that a browser uses to sign in with an issuer, from the issuer's discovery document. */
export class IssuerEndpoints {
  readonly #options: IssuerEndpointsOptions;
  readonly #closeController = new AbortController();
  readonly #outage: Outage;
  #endpoints: readonly string[] = [];
  #pendingLoad: Promise<void> | null = null;
  #pendingRefresh: Promise<void> | null = null;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerEndpointsOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, {
      recoveryMessage: 'The endpoints of the identity provider can be read again',
    });
  }

  /** Returns the last known endpoints; none at first. Never waits: outdated endpoints are refreshed for later calls. */
  getCurrent(): readonly string[] {
    const isDue = this.#options.clock.monotonic() >= this.#dueAt;
    if (isDue && !this.#pendingRefresh && !this.#closeController.signal.aborted) {
      this.#pendingRefresh = this.#refresh().finally(() => {
        this.#pendingRefresh = null;
      });
    }
    return this.#endpoints;
  }

  async close(): Promise<void> {
    this.#closeController.abort(new Error('The service is shutting down'));
    await settlesWithin(closeTimeoutMs, this.#pendingRefresh ?? Promise.resolve());
  }

  /** Refreshes the endpoints. Never rejects: a failure is logged, and the last known endpoints are kept. */
  async #refresh(): Promise<void> {
    const { issuer, clock, timeoutMs } = this.#options;
    await (this.#pendingLoad ??= this.#load());
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closeController.signal]);
      const { text } = await fetchDocument(discoveryUrlOf(issuer), signal);
      const endpoints = parseEndpoints(text, issuer);
      const isNew = JSON.stringify(endpoints) !== JSON.stringify(this.#endpoints);
      this.#endpoints = endpoints;
      this.#dueAt = clock.monotonic() + endpointsTtlMs;
      this.#outage.end();
      if (isNew) await this.#save(endpoints);
    } catch (error) {
      this.#dueAt = clock.monotonic() + endpointsRetryMs;
      if (this.#closeController.signal.aborted) return;
      const message = 'The endpoints of the identity provider could not be read; the console uses the last known ones';
      this.#outage.start({ message, fields: { err: error } });
    }
  }

  async #load(): Promise<void> {
    try {
      const storedEndpoints = Object(
        JSON.parse((await this.#options.storage.load()) ?? '{}'),
      ) as Partial<StoredEndpoints>;
      if (storedEndpoints.issuer === this.#options.issuer && Array.isArray(storedEndpoints.endpoints)) {
        this.#endpoints = storedEndpoints.endpoints.filter((endpoint) => typeof endpoint === 'string');
      }
    } catch (error) {
      this.#warn('The stored endpoints of the identity provider could not be read', error);
    }
  }

  async #save(endpoints: readonly string[]): Promise<void> {
    const storedEndpoints: StoredEndpoints = { issuer: this.#options.issuer, endpoints };
    try {
      await this.#options.storage.save(JSON.stringify(storedEndpoints));
    } catch (error) {
      this.#warn(
        'The endpoints of the identity provider could not be stored; they will be fetched again after a restart',
        error,
      );
    }
  }

  #warn(message: string, error: unknown): void {
    if (!this.#closeController.signal.aborted) this.#options.log.warn({ err: error }, message);
  }
}

interface StoredEndpoints {
  readonly issuer: string;
  readonly endpoints: readonly string[];
}

/**
 * Returns the endpoints in a discovery document. Throws if the document is for a different issuer. Omits plain http
 * endpoints if the issuer uses https.
 */
export const parseEndpoints = (text: string, issuer: string): readonly string[] => {
  const document = parseIssuerDocument(text, issuer);
  return browserEndpoints
    .map((name) => document[name])
    .filter((address) => typeof address === 'string')
    .filter((address) => address.startsWith('https:') || !issuer.startsWith('https:'));
};
