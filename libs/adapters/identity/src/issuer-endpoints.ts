import { createOutage, settlesWithin, type Log, type Outage } from '@portico/dependencies';
import type { Clock } from '@portico/domain';
import { discoveryUrlOf, fetchDocument, issuerDocument } from './provider-documents.ts';
import type { KeySetStorage } from './remote-key-source.ts';

export interface IssuerEndpointsOptions {
  readonly issuer: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Keeps what was known last, so that a restart while the provider is down still has it. */
  readonly storage: KeySetStorage;
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Older ones are asked for again in the background. */
export const endpointsFreshMs = 60 * 60_000;
/** Pause after a failure. */
export const endpointsRetryMs = 30_000;

/** How long closing waits for a storage that hangs. */
const closeWaitMs = 1_000;

/** What a browser talks to while somebody signs in, renews or signs out (OpenID Connect Discovery 1.0, section 3). */
const usedByBrowsers = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'end_session_endpoint',
  'revocation_endpoint',
] as const;

/** The addresses of an issuer that a browser uses for signing in, from its discovery document. */
export class IssuerEndpoints {
  readonly #options: IssuerEndpointsOptions;
  readonly #closing = new AbortController();
  readonly #outage: Outage;
  #known: readonly string[] = [];
  #loading: Promise<void> | null = null;
  #asking: Promise<void> | null = null;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(options: IssuerEndpointsOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, { back: 'The endpoints of the identity provider can be read again' });
  }

  /** As last known, empty before. Never waits; if they may have changed, a later call knows. */
  known(): readonly string[] {
    const isDue = this.#options.clock.monotonic() >= this.#dueAt;
    if (isDue && !this.#asking && !this.#closing.signal.aborted) {
      this.#asking = this.#ask().finally(() => {
        this.#asking = null;
      });
    }
    return this.#known;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The service is closing'));
    await settlesWithin(closeWaitMs, this.#asking ?? Promise.resolve());
  }

  /** Never rejects: keeps what was known, and logs. */
  async #ask(): Promise<void> {
    const { issuer, clock, timeoutMs } = this.#options;
    await (this.#loading ??= this.#load());
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#closing.signal]);
      const { text } = await fetchDocument(discoveryUrlOf(issuer), signal);
      const found = endpointsIn(text, issuer);
      const isNew = JSON.stringify(found) !== JSON.stringify(this.#known);
      this.#known = found;
      this.#dueAt = clock.monotonic() + endpointsFreshMs;
      this.#outage.end();
      if (isNew) await this.#save(found);
    } catch (error) {
      this.#dueAt = clock.monotonic() + endpointsRetryMs;
      if (this.#closing.signal.aborted) return;
      const message =
        'The endpoints of the identity provider could not be read; the console uses those that were known before';
      this.#outage.begin({ message, fields: { err: error } });
    }
  }

  async #load(): Promise<void> {
    try {
      const stored = Object(JSON.parse((await this.#options.storage.load()) ?? '{}')) as Partial<Stored>;
      if (stored.issuer === this.#options.issuer && Array.isArray(stored.endpoints)) {
        this.#known = stored.endpoints.filter((one) => typeof one === 'string');
      }
    } catch (error) {
      this.#tell('The stored endpoints of the identity provider could not be read', error);
    }
  }

  async #save(endpoints: readonly string[]): Promise<void> {
    const stored: Stored = { issuer: this.#options.issuer, endpoints };
    try {
      await this.#options.storage.save(JSON.stringify(stored));
    } catch (error) {
      this.#tell('The endpoints of the identity provider could not be stored; a restart has to ask for them', error);
    }
  }

  #tell(message: string, error: unknown): void {
    if (!this.#closing.signal.aborted) this.#options.log.warn({ err: error }, message);
  }
}

interface Stored {
  readonly issuer: string;
  readonly endpoints: readonly string[];
}

/** Throws for another issuer's document. A page of an issuer on https never has to talk to plain http. */
export const endpointsIn = (text: string, issuer: string): readonly string[] => {
  const document = issuerDocument(text, issuer);
  return usedByBrowsers
    .map((name) => document[name])
    .filter((address) => typeof address === 'string')
    .filter((address) => address.startsWith('https:') || !issuer.startsWith('https:'));
};
