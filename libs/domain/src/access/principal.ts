import type { CollectionHead, Visibility } from '../collections/collection.ts';
import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';
import type { Actor } from '../profiles/profile.ts';
import type { CallerRow } from './caller.ts';

/** The caller, and what the database said about them in the statement that judged this request. */
export interface Identified<Found extends CollectionHead = CollectionHead> extends Omit<CallerRow<Found>, 'key'> {
  readonly via: 'token' | 'key';
}

/** The same, after the request was admitted. */
export interface Principal<Found extends CollectionHead = CollectionHead> extends Identified<Found> {
  /** The request's deadline; null if no request waits. */
  readonly deadline: Deadline | null;
}

/** On whose behalf a change is made. */
export interface Initiator {
  /** Null for the operator's command line and the service itself. */
  readonly actor: Actor | null;
  /** The request's deadline; null if no request waits. */
  readonly deadline: Deadline | null;
}

declare const minted: unique symbol;

/**
 * What admin-only use cases require. Only this file mints it: for an admin, and for the operator, who holds the stores
 * anyway.
 */
export interface AdminAuthority extends Initiator {
  readonly [minted]: true;
}

const mint = (initiator: Initiator): AdminAuthority => initiator as AdminAuthority;

/** For the operator's command line. No request ever gets it. */
export const operatorAuthority: AdminAuthority = mint({ actor: null, deadline: null });

/** The authority of an admin; throws `admin_required` for everyone else. */
export const authorityOf = ({ profile, deadline }: Pick<Principal, 'profile' | 'deadline'>): AdminAuthority => {
  if (!isAdmin(profile)) throw new PorticoError('admin_required');
  return mint({ actor: { id: profile.id, email: profile.email }, deadline });
};

/** Judged by the row that this request has read, never by a token's claims (specification, section 2). */
export const isAdmin = (profile: Principal['profile']): boolean =>
  profile.role === 'admin' && profile.status === 'approved';

/** An admin sees all, a rejected profile nothing, everyone else what was granted to them (specification, section 2). */
export const visibilityOf = ({ profile }: Principal): Visibility => {
  if (isAdmin(profile)) return { of: 'all' };
  if (profile.status === 'rejected') return { of: 'nothing' };
  return { of: 'granted', to: profile.id };
};

/** The rules for reading one collection, in the order in which they are checked; each names its refusal. */
const readingRules: readonly ((principal: Principal) => 'collection_not_found' | 'no_access' | null)[] = [
  ({ target }) => (target ? null : 'collection_not_found'),
  ({ profile, granted }) => (isAdmin(profile) || (granted && profile.status !== 'rejected') ? null : 'no_access'),
];

/** Returns the collection that the request is about if every reading rule holds; throws the first refusal. */
export const readableTarget = <Found extends CollectionHead>(principal: Principal<Found>): Found => {
  for (const rule of readingRules) {
    const refusal = rule(principal);
    if (refusal) throw new PorticoError(refusal);
  }
  if (!principal.target) throw new PorticoError('collection_not_found');
  return principal.target;
};
