import type { Collection, CollectionHead, Visibility } from '../collections/collection.ts';
import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';
import type { CollectionId } from '../ids.ts';
import type { ClientLimits } from '../limits/limit.ts';
import type { StoredKey } from '../profiles/api-key.ts';
import type { Actor, Profile } from '../profiles/profile.ts';

/**
 * Numbers that grow with each change of what they name. What is derived from rows may be kept in memory under them, for
 * they are read in the statement that authorises the request.
 */
export interface Epochs {
  /** Grants of this profile. */
  readonly grants: number;
  /** Collections: any creation, change or deletion. */
  readonly catalog: number;
  /** The highest `sequence` of an embedding (see `EmbeddingStore`). */
  readonly embeddings: number;
}

/** How much of a collection is read: what answers show of it, or all but its document. */
export interface TargetParts {
  readonly head: CollectionHead;
  readonly whole: Collection;
}

export type TargetPart = keyof TargetParts;

/** The collection that a request is about. */
export interface Target<Part extends TargetPart = TargetPart> {
  readonly id: CollectionId;
  readonly part: Part;
}

/** All that is needed to judge a request, as of one moment. */
export interface CallerRow<Found extends CollectionHead = CollectionHead> {
  readonly profile: Profile;
  readonly key: StoredKey | null;
  readonly limits: ClientLimits;
  readonly epochs: Epochs;
  /**
   * The collection that was asked about, that part of it and no more: null where none was, or where there is no such collection.
   */
  readonly target: Found | null;
  /** Whether the profile has a grant for the target. */
  readonly granted: boolean;
}

/** What a request presents as its credential. */
export type Credential =
  | { readonly kind: 'none' }
  /** What cannot be a credential, by the form that it was meant to have. */
  | { readonly kind: 'malformed'; readonly form: 'token' | 'key' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly clientId: string; readonly secret: string };

/** Who may call: `token` takes an identity token, `token or key` an API key pair as well, `admin` an admin's token. */
export type RequiredAuth = 'token' | 'token or key' | 'admin';

/**
 * Why a request has no caller. `token_required`: a key came to an endpoint that takes none, and was not looked at. `unregistered`: the
 * token is good, but no profile is bound to its issuer and uid.
 */
export type AuthenticationFailure =
  'no_credential' | 'token_required' | 'invalid_token' | 'invalid_api_credentials' | 'unregistered';

/** Whether an API key was presented, or what was meant as one. */
export const isKey = (credential: Credential): boolean =>
  credential.kind === 'key' || (credential.kind === 'malformed' && credential.form === 'key');

/** Who is calling, and what the database said of them in the statement that this request was judged by. */
export interface Identified<Found extends CollectionHead = CollectionHead> extends Omit<CallerRow<Found>, 'key'> {
  readonly via: 'token' | 'key';
}

/** The same, once the request was let in. */
export interface Principal<Found extends CollectionHead = CollectionHead> extends Identified<Found> {
  /** Of the request; null where none waits. */
  readonly deadline: Deadline | null;
}

/** On whose behalf a change is made. */
export interface Initiator {
  /** Null for the operator's command line and the service itself. */
  readonly actor: Actor | null;
  /** Of the request; null where none waits. */
  readonly deadline: Deadline | null;
}

declare const minted: unique symbol;

/** What admin-only use cases ask for. Minted here alone: for an admin, and for the operator, who holds the stores anyway. */
export interface AdminAuthority extends Initiator {
  readonly [minted]: true;
}

const mint = (initiator: Initiator): AdminAuthority => initiator as AdminAuthority;

/** For the operator's command line. No request is ever given it. */
export const operatorAuthority: AdminAuthority = mint({ actor: null, deadline: null });

/** The authority of an admin; throws `admin_required` for everyone else. */
export const authorityOf = ({ profile, deadline }: Pick<Principal, 'profile' | 'deadline'>): AdminAuthority => {
  if (!isAdmin(profile)) throw new PorticoError('admin_required');
  return mint({ actor: { id: profile.id, email: profile.email }, deadline });
};

/** By the row that this very request has read, never by a token's claims (specification, section 2). */
export const isAdmin = (profile: Principal['profile']): boolean =>
  profile.role === 'admin' && profile.status === 'approved';

/** An admin sees all, a rejected profile nothing, everyone else what was granted to them (specification, section 2). */
export const visibilityOf = ({ profile }: Principal): Visibility => {
  if (isAdmin(profile)) return { of: 'all' };
  if (profile.status === 'rejected') return { of: 'nothing' };
  return { of: 'granted', to: profile.id };
};

/**
 * Names what the caller may see and how the catalog stands, by the epochs that this request has read from the database. What is derived
 * from both may be kept under it: after a grant, a revoke or a change the name is another one.
 */
export const listVersion = ({ profile, epochs }: Principal): string =>
  `${epochs.catalog}/${isAdmin(profile) ? 'all' : `${profile.id}/${profile.status}/${epochs.grants}`}`;

/** The rules of reading one collection, in the order in which they are asked; each names its refusal. */
const readingRules: readonly ((principal: Principal) => 'collection_not_found' | 'no_access' | null)[] = [
  ({ target }) => (target ? null : 'collection_not_found'),
  ({ profile, granted }) => (isAdmin(profile) || (granted && profile.status !== 'rejected') ? null : 'no_access'),
];

/** The collection that the request is about, once every rule of reading it holds; throws the first refusal. */
export const readableTarget = <Found extends CollectionHead>(principal: Principal<Found>): Found => {
  for (const rule of readingRules) {
    const refusal = rule(principal);
    if (refusal) throw new PorticoError(refusal);
  }
  if (!principal.target) throw new PorticoError('collection_not_found');
  return principal.target;
};
