import type { Collection } from '../collections/collection.ts';
import type { CollectionId, JobId, ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Effects } from './effects.ts';

/** A mail that waits with a secret. */
export interface SealedMail {
  readonly id: JobId;
  readonly profileId: ProfileId;
  readonly sealed: string;
}

/** Everything that the stores keep sealed by the secrets key. */
export interface SealedSecrets {
  /** The collections with a credential, in the order of lists. */
  readonly collections: readonly Collection[];
  /** Leased and put off ones included, in any order; a dead letter has nothing sealed any more. */
  readonly mails: readonly SealedMail[];
  /** What the tags of all API keys depend on; null before the first start. */
  readonly pepper: string | null;
  /** How many profiles have an API key, one that is asleep included. */
  readonly apiKeys: number;
}

/** What is taken away because no key opens it any more. */
export interface SecretsReset extends Effects {
  /** These collections lose their credential; type, name and place stay. */
  readonly collections: readonly CollectionId[];
  /** These mails become dead letters. */
  readonly mails: readonly JobId[];
  /** The pepper in place of the one before, with which every API key goes; null: pepper and keys stay. */
  readonly pepper: string | null;
  /** When that is, and what is said of the mails. */
  readonly at: Instant;
  readonly reason: string;
}

/** What is sealed by the secrets key, taken together: for starting without it, and for going on when it is lost. */
export interface SealedStore {
  /** All that is sealed, as of one moment. */
  read(): Promise<SealedSecrets>;

  /** Keeps the pepper unless there is one; returns the one that is kept. Of simultaneous first calls all answer the same. */
  keepPepper(sealed: string): Promise<string>;

  /** Puts the pepper, sealed anew, in the place of what is sealed now; returns false, and changes nothing, where that is another. */
  resealPepper(before: string, after: string): Promise<boolean>;

  /**
   * Loads, decides and stores in one transaction; where `decide` returns null, or throws, nothing is written. A collection that
   * loses its credential has a revision and a time of change after the one before. With a new pepper no profile has an API key;
   * its client id stays.
   */
  reset(decide: (sealed: SealedSecrets) => SecretsReset | null): Promise<void>;
}
