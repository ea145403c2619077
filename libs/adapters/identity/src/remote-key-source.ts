import { createOutage, settlesWithin, type Log, type Outage } from '@portico/dependencies';
import { PorticoError, type Clock } from '@portico/domain';
import { readKeySet, type KeySet, type KeySource } from './key-set.ts';
import { fetchKeySetText, type Provider } from './provider-documents.ts';

/** Storage for the last good key set, so that the key set survives a restart while the provider is down. */
export interface KeySetStorage {
  /** Returns the last saved text; null if nothing has been saved yet. */
  load(): Promise<string | null>;
  save(text: string): Promise<void>;
}

export interface RemoteKeySourceOptions {
  readonly provider: Provider;
  readonly clock: Clock;
  readonly storage: KeySetStorage;
  /** The age at which a set is refreshed in the background; `defaultMaxAgeMs` by default. */
  readonly maxAgeMs?: number;
  readonly log: Log;
}

/** The default age at which a set is refreshed in the background. */
export const defaultMaxAgeMs = 5 * 60_000;
/**
 * A set that is this many times as old as the maximum age, or an hour old, is refreshed before use, unless the provider
 * is down.
 */
export const blockingRefreshAges = 12;
export const blockingRefreshMs = 60 * 60_000;
/** The maximum age of the last good set, up to which it is used while the provider is down. */
export const staleMaxMs = 24 * 60 * 60_000;
/** The minimum interval between two fetches that are caused by unknown key ids. */
export const unknownKeyIntervalMs = 30_000;
/** The pause after a failed fetch. It doubles with each further failure, up to `backOffMaxMs`. */
export const backOffMinMs = 1_000;
export const backOffMaxMs = 60_000;

/** How long `close` waits for storage that hangs. */
const closeTimeoutMs = 1_000;

/** The tolerated clock error. A stored set whose timestamp is further in the future is not used. */
const clockErrorMaxMs = 60_000;

interface CachedKeySet {
  readonly set: KeySet;
  /**
   * The time of the fetch on the monotonic clock; may be negative if the set was fetched before this process started.
   */
  readonly fetchedAt: number;
}

/**
 * Fetches the keys that an issuer publishes, with one fetch at a time and a backoff of 1 to 60 s after failures. A key
 * that is missing from a good response is dropped immediately.
 */
export class RemoteKeySource implements KeySource {
  readonly #options: RemoteKeySourceOptions;
  readonly #closeController = new AbortController();
  readonly #outage: Outage;
  #cachedKeySet: CachedKeySet | null = null;
  #loading: Promise<void> | null = null;
  #fetching: Promise<void> | null = null;
  #saving: Promise<void> = Promise.resolve();
  #failures = 0;
  #lastProblem: unknown = null;
  #lastAttemptAt = Number.NEGATIVE_INFINITY;

  constructor(options: RemoteKeySourceOptions) {
    this.#options = options;
    this.#outage = createOutage(options.log, {
      recoveryMessage: 'The keys of the identity provider can be fetched again',
    });
  }

  async getCurrent(): Promise<KeySet> {
    await (this.#loading ??= this.#load());
    const age = this.#computeAge();
    const { maxAgeMs = defaultMaxAgeMs } = this.#options;
    const blockingAge = Math.min(blockingRefreshMs, blockingRefreshAges * maxAgeMs);
    if (age >= maxAgeMs) {
      const fetchAttempt = this.#fetchAfter(this.#computeBackOffMs());
      if (age >= staleMaxMs || (age >= blockingAge && this.#failures === 0)) await fetchAttempt;
    }
    if (!this.#cachedKeySet || this.#computeAge() >= staleMaxMs) {
      throw new PorticoError('identity_unavailable', { cause: this.#lastProblem });
    }
    return this.#cachedKeySet.set;
  }

  async findNewer(currentSet: KeySet): Promise<KeySet | null> {
    if (this.#cachedKeySet?.set === currentSet)
      await this.#fetchAfter(Math.max(unknownKeyIntervalMs, this.#computeBackOffMs()));
    const set = this.#cachedKeySet?.set ?? null;
    return set === currentSet ? null : set;
  }

  /** Rejects with the last error until a fetch succeeds. */
  async check(): Promise<void> {
    await this.getCurrent();
    if (this.#failures > 0) throw this.#lastProblem;
  }

  async close(): Promise<void> {
    this.#closeController.abort(new Error('The verifier is closed'));
    await this.#fetching;
    await settlesWithin(closeTimeoutMs, this.#saving);
  }

  #computeAge(): number {
    return this.#cachedKeySet
      ? this.#options.clock.monotonic() - this.#cachedKeySet.fetchedAt
      : Number.POSITIVE_INFINITY;
  }

  #computeBackOffMs(): number {
    return this.#failures === 0 ? 0 : Math.min(backOffMaxMs, backOffMinMs * 2 ** (this.#failures - 1));
  }

  /** Waits for the fetch in flight, or starts one if the last attempt finished at least `pauseMs` ago. */
  async #fetchAfter(pauseMs: number): Promise<void> {
    const isDue = this.#options.clock.monotonic() - this.#lastAttemptAt >= pauseMs;
    if (!this.#fetching && isDue && !this.#closeController.signal.aborted) {
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = null;
      });
    }
    await this.#fetching;
  }

  /** Fetches the keys. Never rejects: an error is stored and logged. */
  async #fetch(): Promise<void> {
    const { provider, clock } = this.#options;
    try {
      const text = await fetchKeySetText(provider, this.#closeController.signal);
      const set = await readKeySet(text);
      const isUnchanged = this.#cachedKeySet?.set.generation === set.generation;
      this.#cachedKeySet = {
        set: isUnchanged && this.#cachedKeySet ? this.#cachedKeySet.set : set,
        fetchedAt: clock.monotonic(),
      };
      this.#failures = 0;
      this.#outage.end();
      this.#save(text);
    } catch (error) {
      this.#failures += 1;
      this.#lastProblem = error;
      if (this.#closeController.signal.aborted) return;
      const message = 'The keys of the identity provider could not be fetched; the last ones are used for up to 24 h';
      this.#outage.start({ message, fields: { err: error } });
    } finally {
      this.#lastAttemptAt = clock.monotonic();
    }
  }

  async #load(): Promise<void> {
    const { provider, clock, storage } = this.#options;
    try {
      const storedKeySet = parseStoredKeySet(await storage.load());
      if (!storedKeySet || storedKeySet.issuer !== provider.issuer || storedKeySet.jwksUrl !== provider.jwksUrl) return;
      const age = clock.now() - storedKeySet.fetchedAt;
      if (age < -clockErrorMaxMs) return;
      this.#cachedKeySet = {
        set: await readKeySet(storedKeySet.keys),
        fetchedAt: clock.monotonic() - Math.max(0, age),
      };
    } catch (error) {
      this.#warn('The stored keys of the identity provider could not be read', error);
    }
  }

  #save(keys: string): void {
    const { provider, clock, storage } = this.#options;
    const { issuer, jwksUrl } = provider;
    const storedKeySet: StoredKeySet = { issuer, jwksUrl, fetchedAt: clock.now(), keys };
    this.#saving = this.#saving
      .then(() => storage.save(JSON.stringify(storedKeySet)))
      .catch((error: unknown) =>
        this.#warn(
          'The keys of the identity provider could not be stored; they will be fetched again after a restart',
          error,
        ),
      );
  }

  #warn(message: string, error: unknown): void {
    if (!this.#closeController.signal.aborted) this.#options.log.warn({ err: error }, message);
  }
}

/** The text of a key set with its issuer, so that one issuer's set is never used for a different issuer. */
interface StoredKeySet {
  readonly issuer: string;
  readonly jwksUrl: string | null;
  /** The time of the fetch, in milliseconds since 1970. */
  readonly fetchedAt: number;
  readonly keys: string;
}

const parseStoredKeySet = (text: string | null): StoredKeySet | null => {
  if (text === null) return null;
  const { issuer, jwksUrl, fetchedAt, keys } = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  if (typeof issuer !== 'string' || typeof fetchedAt !== 'number' || typeof keys !== 'string') {
    throw new Error('It has an unknown format');
  }
  return { issuer, jwksUrl: typeof jwksUrl === 'string' ? jwksUrl : null, fetchedAt, keys };
};
