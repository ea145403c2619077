import type { Collection } from '../collections/collection.ts';
import type { CredentialSubject } from '../collections/credential.ts';
import type { CallId, CollectionId, CredentialId, JobId, ProfileId, WebhookId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { Effects } from './effects.ts';

/** A waiting email with a secret. */
export interface SealedMail {
  readonly id: JobId;
  readonly profileId: ProfileId;
  readonly sealed: string;
}

/** A credential of a collection for one security scheme. */
export interface SealedCredential {
  readonly id: CredentialId;
  readonly collection: Pick<Collection, 'id' | 'name'>;
  readonly scheme: string;
  /** Null for a credential for everyone. */
  readonly subject: CredentialSubject | null;
  readonly sealed: string;
}

/** The arguments of a call that needs a decision. */
export interface SealedArguments {
  readonly id: CallId;
  readonly sealed: string;
}

/** The secrets of a webhook. */
export interface SealedWebhook {
  readonly id: WebhookId;
  readonly sealed: string;
}

/** All data that the stores seal with the secrets key. */
export interface SealedSecrets {
  /** The collections with a credential, in the order of lists. */
  readonly collections: readonly Collection[];
  /** The credentials of `CredentialStore`, for everyone and for subjects, in the order of lists, then by scheme and id. */
  readonly credentials: readonly SealedCredential[];
  /** The waiting emails, including leased and postponed ones, in any order; a dead letter no longer has sealed data. */
  readonly mails: readonly SealedMail[];
  /** The calls that still have arguments, in any order. */
  readonly calls: readonly SealedArguments[];
  /** The webhooks that have a secret, in any order. */
  readonly webhooks: readonly SealedWebhook[];
  /** The pepper, which the tags of all API keys and service accounts depend on; null before the first startup. */
  readonly pepper: string | null;
  /** The number of profiles that have an API key, including dormant keys. */
  readonly apiKeys: number;
  /** The number of service accounts that have a key. */
  readonly accountKeys: number;
}

/** The data to remove because no key opens it anymore. */
export interface SecretsReset extends Effects {
  /** These collections lose their credential; its type, name and location are kept. */
  readonly collections: readonly CollectionId[];
  /** These credentials of `CredentialStore` are removed. */
  readonly credentials: readonly { readonly collectionId: CollectionId; readonly id: CredentialId }[];
  /** These emails become dead letters. */
  readonly mails: readonly JobId[];
  /** These calls lose their arguments and become expired. */
  readonly calls: readonly CallId[];
  /** These webhooks lose their secrets and become inactive. */
  readonly webhooks: readonly WebhookId[];
  /** The new pepper, which invalidates every API key and service account; null to keep the pepper and the keys. */
  readonly pepper: string | null;
  /** The time of the reset, and the reason stored with the emails. */
  readonly resetAt: Instant;
  readonly reason: string;
}

/** All data sealed with the secrets key: for starting without the key, and for a reset when the key is lost. */
export interface SealedStore {
  /** Returns all sealed secrets, read in one snapshot. */
  read(): Promise<SealedSecrets>;

  /**
   * Stores the pepper unless there is one already; returns the stored one. Concurrent first calls all return the same
   * pepper.
   */
  ensurePepper(sealed: string): Promise<string>;

  /**
   * Replaces the sealed pepper `before` with `after`, the same pepper resealed; returns false, and changes nothing, if
   * `before` is not the stored one.
   */
  resealPepper(before: string, after: string): Promise<boolean>;

  /**
   * Loads, decides and stores in one transaction; if `decide` returns null or throws, nothing is written. A collection
   * that loses a credential gets a later revision and `updatedAt`. A new pepper removes the API key of every profile
   * and the key of every service account; client ids and accounts are kept.
   */
  reset(decide: (sealed: SealedSecrets) => SecretsReset | null): Promise<void>;
}
