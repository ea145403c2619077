import { PorticoError, type Clock } from '@portico/domain';
import { errors, type JWTVerifyGetKey } from 'jose';
import { fetchText } from './fetch-json.ts';
import { parseKeySet, type KeySet } from './jwk-set.ts';

/** Keeps the last good key set over restarts. */
export interface KeySetStorage {
  load(): Promise<string | null>;
  save(text: string): Promise<void>;
}

export interface RemoteKeySetOptions {
  readonly issuer: string;
  /** Found by discovery where it is null. */
  readonly jwksUrl: string | null;
  readonly clock: Clock;
  readonly storage: KeySetStorage;
  /** Is told why a fetch failed. */
  readonly warn: (message: string, error: unknown) => void;
}

interface Held extends KeySet {
  /** When it was fetched. */
  readonly fetchedAt: number;
}

const freshMs = 300_000;
const usableMs = 86_400_000;
/** At most one fetch in this time for key ids that the set does not have. */
const unknownKeyPauseMs = 30_000;
const backOffFirstMs = 1_000;
const backOffLongestMs = 60_000;

/**
 * The keys of an issuer (contract, section 2, "JWKS"): one fetch at a time; at most one in 30 s for unknown key ids; back-off
 * after failures; the last good set is used for up to 24 h while the provider is down, across restarts; a key that a successful
 * fetch no longer brings is dropped at once. Without any usable set: `identity_unavailable`.
 */
export class RemoteKeySet {
  readonly #options: RemoteKeySetOptions;
  readonly #stop = new AbortController();
  #held: Held | null = null;
  #generation = 0;
  #loaded: Promise<void> | null = null;
  #fetching: Promise<void> | null = null;
  #failures = 0;
  /** No fetch before this moment, on the monotonic clock. */
  #pauseUntil = -Infinity;
  /** No fetch for an unknown key id before this moment. */
  #unknownKeyPauseUntil = -Infinity;

  constructor(options: RemoteKeySetOptions) {
    this.#options = options;
  }

  /** Grows with each change of the keys; what was verified under another one must be verified anew. */
  get generation(): number {
    return this.#generation;
  }

  /** Makes the set ready; raises `identity_unavailable` where there is none. */
  async ready(): Promise<void> {
    await (this.#loaded ??= this.#load());
    const { clock } = this.#options;
    if (!this.#usable()) await this.#fetch();
    else if (this.#held && clock.now() - this.#held.fetchedAt > freshMs) void this.#fetch();
    if (!this.#usable()) throw new PorticoError('identity_unavailable');
  }

  /** Finds the key of a token; where the set does not have it, it is fetched anew, unless that was tried lately. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    try {
      return await this.#find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await this.#fetchForUnknownKey())) throw error;
      return this.#find(header, token);
    }
  };

  close(): void {
    this.#stop.abort();
  }

  readonly #find: JWTVerifyGetKey = (header, token) => {
    if (!this.#held) throw new PorticoError('identity_unavailable');
    return this.#held.find(header, token);
  };

  #usable(): boolean {
    return this.#held !== null && this.#options.clock.now() - this.#held.fetchedAt <= usableMs;
  }

  /** Whether it was fetched anew. */
  async #fetchForUnknownKey(): Promise<boolean> {
    const now = this.#options.clock.monotonic();
    if (now < this.#unknownKeyPauseUntil && !this.#fetching) return false;
    this.#unknownKeyPauseUntil = now + unknownKeyPauseMs;
    await this.#fetch();
    return this.#failures === 0;
  }

  /** One at a time, and none during a back-off. Never rejects: what is held stays. */
  #fetch(): Promise<void> {
    if (this.#fetching) return this.#fetching;
    if (this.#options.clock.monotonic() < this.#pauseUntil) return Promise.resolve();
    this.#fetching = this.#fetchNow().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<void> {
    const { clock, warn } = this.#options;
    try {
      const text = await fetchText(await this.#address(), this.#stop.signal);
      this.#hold({ ...parseKeySet(text), fetchedAt: clock.now() });
      this.#failures = 0;
      this.#pauseUntil = -Infinity;
      // A set that was just fetched need not be fetched again for a key that it does not have.
      this.#unknownKeyPauseUntil = Math.max(this.#unknownKeyPauseUntil, clock.monotonic() + unknownKeyPauseMs);
      await this.#save();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#pauseUntil = clock.monotonic() + Math.min(backOffLongestMs, backOffFirstMs * 2 ** this.#failures);
      this.#failures++;
      warn('The keys of the identity provider could not be fetched', error);
    }
  }

  #hold(next: Held): void {
    if (this.#held?.text !== next.text) this.#generation++;
    this.#held = next;
  }

  /** The address of the key set, from the discovery document (OpenID Connect Discovery, section 4). */
  async #address(): Promise<string> {
    const { issuer, jwksUrl } = this.#options;
    if (jwksUrl) return jwksUrl;
    const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const document = JSON.parse(await fetchText(address, this.#stop.signal)) as {
      issuer?: unknown;
      jwks_uri?: unknown;
    } | null;
    if (document?.issuer !== issuer) throw new Error(`${address} is the discovery document of another issuer`);
    if (typeof document.jwks_uri !== 'string') throw new Error(`${address} names no jwks_uri`);
    return document.jwks_uri;
  }

  async #save(): Promise<void> {
    if (!this.#held) return;
    const { issuer, storage, warn } = this.#options;
    const { fetchedAt, text } = this.#held;
    try {
      await storage.save(JSON.stringify({ issuer, fetchedAt, set: text }));
    } catch (error) {
      warn('The keys of the identity provider could not be kept for a restart', error);
    }
  }

  async #load(): Promise<void> {
    const { issuer, storage, clock, warn } = this.#options;
    try {
      const kept = await storage.load();
      if (kept === null) return;
      const { issuer: of, fetchedAt, set } = JSON.parse(kept) as { issuer: string; fetchedAt: number; set: string };
      if (of === issuer && fetchedAt <= clock.now()) this.#hold({ ...parseKeySet(set), fetchedAt });
    } catch (error) {
      warn('The keys that were kept before the restart cannot be read', error);
    }
  }
}
