import type { Collection, CollectionHead, Visibility } from '../collections/collection.ts';
import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';
import type { GroupClaims } from '../groups/group.ts';
import type { CollectionId, ProfileId, ServiceAccountId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { ClientLimits } from '../limits/limit.ts';
import type { StoredKey } from '../profiles/api-key.ts';
import { type Actor, type Profile, createUnstoredAdmin } from '../profiles/profile.ts';
import type { AccountKey, Scope, ServiceAccount } from '../service-accounts/service-account.ts';
import {
  callPermissionOf,
  compileRules,
  unrestrictedRule,
  type CallPermission,
  type OperationRule,
  type RuledOperation,
} from './operation-rule.ts';

/**
 * Numbers that grow with each change to the data that they are named after. Data derived from rows may be cached in
 * memory by epoch, because the epochs are read in the statement that authorizes the request.
 */
export interface Epochs {
  /** This profile's own grants and group memberships. */
  readonly grants: number;
  /** Groups: their existence, and their grants. */
  readonly groups: number;
  /** Collections: any creation, change or deletion. */
  readonly catalog: number;
  /** The highest sequence number of an embedding (see `EmbeddingStore`). */
  readonly embeddings: number;
  /** The highest sequence number of an operation block (see `OperationBlockStore`). */
  readonly operations: number;
  /** The model that searches use; null if there is none yet (see `SearchModels`). */
  readonly searchModel: string | null;
}

/** How much of a collection is read: the parts shown in responses, or everything except its document. */
export interface TargetDetails {
  readonly head: CollectionHead;
  readonly full: Collection;
}

export type TargetDetail = keyof TargetDetails;

/** The collection that a request is about. */
export interface Target<Detail extends TargetDetail = TargetDetail> {
  readonly id: CollectionId;
  readonly detail: Detail;
}

/** Everything needed to authorize a request, read in one snapshot. */
export interface CallerRow<Head extends CollectionHead = CollectionHead> {
  readonly profile: Profile;
  readonly key: StoredKey | null;
  readonly limits: ClientLimits;
  readonly epochs: Epochs;
  /** The requested part of the request's target; null if the request has no target or the collection does not exist. */
  readonly target: Head | null;
  /** Whether the profile has a grant for the target at `readAt`, either its own or a group's. */
  readonly hasGrant: boolean;
  /**
   * The rules of these grants, in any order and perhaps repeated: only `unrestrictedRule` if one of them has no rule, and `[]` if there is no
   * grant. An admin's are those of `rulesOf`.
   */
  readonly rules: readonly OperationRule[];
  /** Whether the profile is a member of the group that owns the target. */
  readonly ownsTarget: boolean;
  /**
   * The earliest time after `readAt` at which one of the profile's or its groups' grants expires; null if none does.
   */
  readonly accessUntil: Instant | null;
  /** The claims of the newest identity token; null if there are none. */
  readonly claims: GroupClaims | null;
  /** The time at which grants were evaluated. */
  readonly readAt: Instant;
}

/** The equivalent of `CallerRow` for a service account, which has neither limits nor grants. */
export interface AccountRow<Head extends CollectionHead = CollectionHead> {
  readonly account: ServiceAccount;
  readonly key: AccountKey | null;
  /** The `grants` epoch is 0. */
  readonly epochs: Epochs;
  readonly target: Head | null;
}

/** The credential that a request presents. */
export type Credential =
  | { readonly kind: 'none' }
  /** Not a valid credential; `credentialKind` is the kind that it resembles. */
  | { readonly kind: 'malformed'; readonly credentialKind: 'token' | 'key' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly clientId: string; readonly secret: string }
  | { readonly kind: 'account'; readonly id: ServiceAccountId; readonly token: string }
  | OperatorCredential;

declare const operatorBrand: unique symbol;

/**
 * The credential of the operator's command line, used within its own process. It is never parsed from text; only this
 * file creates it.
 */
export interface OperatorCredential {
  readonly kind: 'operator';
  readonly [operatorBrand]: true;
}

export const operatorCredential = { kind: 'operator' } as OperatorCredential;

/**
 * The authentication that an endpoint requires: `token` accepts an identity token, `token or key` also accepts an API
 * key pair, and `admin` accepts an admin's token. `admin or owner` also accepts the token of an owner of the request's
 * target; if the request has no target, the token of an owner of any collection, and the use case checks which. Each
 * also accepts a service account that has the required scope.
 */
export type RequiredAuth = 'token' | 'token or key' | 'admin' | 'admin or owner';

/**
 * Why a request has no caller. `token_required`: a key was sent to an endpoint that accepts none, and was not checked.
 * `unregistered`: the token is valid, but there is no profile for its issuer and uid. `unbound`: the profile with this
 * uid is not bound, and the token cannot bind it. `suspended`: the profile is suspended. For these three, the response is
 * the one for an unknown profile, except for the bearer of an access token (`signed in, …`): its client would only ask
 * the person to sign in again.
 */
export type AuthenticationFailure =
  | 'no_credential'
  | 'token_required'
  | 'invalid_token'
  | 'invalid_api_credentials'
  | OwnerFailure
  | `signed in, ${OwnerFailure}`;

/** Why the owner of a valid token is not a caller. */
export type OwnerFailure = 'unregistered' | 'unbound' | 'suspended';

/** Whether the credential is an API key, or resembles one. */
export const isKeyCredential = (credential: Credential): boolean =>
  credential.kind === 'key' || (credential.kind === 'malformed' && credential.credentialKind === 'key');

/** The caller, with the data read by the statement that authorized this request. */
export interface IdentifiedCaller<Head extends CollectionHead = CollectionHead> extends Omit<
  CallerRow<Head>,
  'key' | 'claims'
> {
  /**
   * How the caller authenticated. For a service account, `profile` is the profile that it acts as (`toActingProfile`);
   * for the operator, `profile` belongs to no one.
   */
  readonly via: 'token' | 'key' | 'account' | 'operator';
  /** The service account's scopes; absent for every other caller. */
  readonly scopes?: readonly Scope[];
}

/** Returns the parts of the row that a principal needs. */
export const omitSecrets = <Head extends CollectionHead>({
  profile,
  limits,
  epochs,
  target,
  hasGrant,
  rules,
  ownsTarget,
  accessUntil,
  readAt,
}: CallerRow<Head>): Omit<IdentifiedCaller<Head>, 'via'> => ({
  profile,
  limits,
  epochs,
  target,
  hasGrant,
  rules,
  ownsTarget,
  accessUntil,
  readAt,
});

/** An identified caller whose request was admitted. */
export interface Principal<Head extends CollectionHead = CollectionHead> extends IdentifiedCaller<Head> {
  /** The request's deadline; null if no request is waiting. */
  readonly deadline: Deadline | null;
}

/** The actor on whose behalf a change is made. */
export interface Initiator {
  /** Null for the operator's command line and the service itself. */
  readonly actor: Actor | null;
  /** The request's deadline; null if no request is waiting. */
  readonly deadline: Deadline | null;
}

declare const authorityBrand: unique symbol;
declare const personBrand: unique symbol;
declare const collectionBrand: unique symbol;
declare const ownerBrand: unique symbol;

/**
 * Required by admin-only use cases. Only this file mints it: for an admin, and for the operator, who has access to the
 * stores anyway.
 */
export interface AdminAuthority extends Initiator {
  readonly [authorityBrand]: true;
}

/**
 * Required by use cases that no service account may run, regardless of its scopes: these use cases decide who is an
 * admin, who has credentials, and which service accounts exist.
 */
export interface PersonAuthority extends AdminAuthority {
  readonly [personBrand]: true;
}

/**
 * Required by the use cases that an admin or an owner of a collection may run, for this collection alone. Only this file
 * mints it.
 */
export interface CollectionAuthority extends Initiator {
  readonly [collectionBrand]: true;
  readonly collectionId: CollectionId;
}

/**
 * The authority of a profile that may own collections. Accepted, as an admin's is, by use cases that decide about
 * requests and check in their transaction whether the profile owns the collection. Only this file mints it.
 */
export interface OwnerAuthority extends Initiator {
  readonly [ownerBrand]: true;
  readonly ownerId: ProfileId;
}

export type DeciderAuthority = AdminAuthority | OwnerAuthority;

const createAuthority = (initiator: Initiator): PersonAuthority => initiator as PersonAuthority;

/** The authority of the operator's command line. No network request ever gets it. */
export const operatorAuthority: PersonAuthority = createAuthority({ actor: null, deadline: null });

/**
 * Returns the authority of an admin, a service account or the operator; throws `admin_required` for every other caller.
 */
export const authorityOf = ({
  profile,
  deadline,
  via,
}: Pick<Principal, 'profile' | 'deadline'> & Partial<Pick<Principal, 'via'>>): AdminAuthority => {
  if (!isAdmin(profile)) throw new PorticoError('admin_required');
  return createAuthority({ actor: via === 'operator' ? null : { id: profile.id, email: profile.email }, deadline });
};

/**
 * Whether the caller owns the request's target, as the statement that authorized this request read it. Only an approved
 * profile owns anything; a suspended one is no caller.
 */
export const isOwnerOfTarget = ({ profile, ownsTarget, target }: Omit<Principal, 'deadline'>): boolean =>
  ownsTarget && target !== null && profile.status === 'approved';

/**
 * Returns the authority over one collection of an admin, a service account, the operator, or an owner whose request has
 * this collection as its target. Throws `owner_required` for every other caller.
 */
export const collectionAuthorityOf = (principal: Principal, id: CollectionId): CollectionAuthority => {
  const { profile, target, via, deadline } = principal;
  if (!isAdmin(profile) && !(isOwnerOfTarget(principal) && target?.id === id)) throw new PorticoError('owner_required');
  const actor = via === 'operator' ? null : { id: profile.id, email: profile.email };
  return { actor, deadline, collectionId: id } as CollectionAuthority;
};

/** Returns the authority of an admin, or of an approved profile that may own collections; throws `owner_required`. */
export const deciderAuthorityOf = (principal: Principal): DeciderAuthority => {
  const { profile, via, deadline } = principal;
  if (isAdmin(profile)) return authorityOf(principal);
  if (profile.status !== 'approved' || via !== 'token') throw new PorticoError('owner_required');
  const { id, email } = profile;
  return { actor: { id, email }, deadline, ownerId: id } as OwnerAuthority;
};

/** Returns the profile that must own the collection it decides about; null for an admin, who decides about all. */
export const ownerIdOf = (authority: DeciderAuthority): ProfileId | null =>
  'ownerId' in authority ? authority.ownerId : null;

/** Returns the authority of an admin in person; throws `no_service_accounts` for a service account. */
export const personAuthorityOf = (principal: Pick<Principal, 'profile' | 'via' | 'deadline'>): PersonAuthority => {
  if (principal.via === 'account') throw new PorticoError('no_service_accounts');
  return authorityOf(principal) as PersonAuthority;
};

/**
 * Returns the operator as the caller of an application in its own process: an admin that is not stored in any row. It
 * therefore has neither limits nor usage, and cannot read an individual collection. Its `catalog` epoch is the current
 * time, so a cached list is never reused.
 */
export const createOperatorCaller = (_credential: OperatorCredential, now: Instant): IdentifiedCaller<never> => ({
  profile: createUnstoredAdmin({
    id: '00000000-0000-0000-0000-000000000000' as ProfileId,
    email: 'operator',
    fullName: 'Operator',
    uid: 'operator',
    createdAt: now,
    updatedAt: now,
  }),
  limits: { override: null, tier: null, groupTier: null },
  epochs: { grants: 0, groups: 0, catalog: now, embeddings: 0, operations: 0, searchModel: null },
  target: null,
  hasGrant: false,
  rules: [],
  ownsTarget: false,
  accessUntil: null,
  readAt: now,
  via: 'operator',
});

/**
 * Throws `no_service_accounts` or `scope_required` for a service account without this scope; a null scope rejects every
 * service account.
 */
export const requireScope = (
  { via, scopes: heldScopes = [] }: Pick<IdentifiedCaller, 'via' | 'scopes'>,
  scope: Scope | null,
): void => {
  if (via !== 'account') return;
  if (scope === null) throw new PorticoError('no_service_accounts');
  if (!heldScopes.includes(scope)) throw new PorticoError('scope_required', { reason: scope });
};

/**
 * Whether the profile is an approved admin. This is decided by the row read for this request, never by a token's claims
 * (specification, section 2).
 */
export const isAdmin = (profile: Principal['profile']): boolean =>
  profile.role === 'admin' && profile.status === 'approved';

/**
 * An admin sees everything, a rejected profile nothing, and every other profile its granted collections (specification,
 * section 2).
 */
export const visibilityOf = ({ profile, readAt }: Principal): Visibility => {
  if (isAdmin(profile)) return { scope: 'all' };
  if (profile.status === 'rejected') return { scope: 'none' };
  return { scope: 'granted', profileId: profile.id, now: readAt };
};

/**
 * Returns an identifier for the set of collections that the caller may see and for the state of the catalog, built from
 * the epochs that this request read from the database. Data derived from both may be cached under this identifier: a
 * grant, a revocation, an expiry or a change results in a new one.
 */
export const listVersionOf = ({ profile, epochs, accessUntil }: Principal): string =>
  `${epochs.catalog}/${
    isAdmin(profile)
      ? 'all'
      : `${profile.id}/${profile.status}/${epochs.grants}/${epochs.groups}/${accessUntil ?? 'always'}`
  }`;

/** The rules for reading one collection, in the order they are checked; each returns its error code. */
const readRules: readonly ((principal: Principal) => 'collection_not_found' | 'no_access' | null)[] = [
  ({ target }) => (target ? null : 'collection_not_found'),
  ({ profile, hasGrant }) => (isAdmin(profile) || (hasGrant && profile.status !== 'rejected') ? null : 'no_access'),
];

/**
 * Returns the collection that the request is about if every reading rule holds; throws the error of the first rule that
 * does not.
 */
export const requireReadableTarget = <Head extends CollectionHead>(principal: Principal<Head>): Head => {
  for (const rule of readRules) {
    const errorCode = rule(principal);
    if (errorCode) throw new PorticoError(errorCode);
  }
  if (!principal.target) throw new PorticoError('collection_not_found');
  return principal.target;
};

/** Returns the rules for calling operations of the request's target: an admin may call all of them. */
export const rulesOf = ({ profile, rules }: Pick<Principal, 'profile' | 'rules'>): readonly OperationRule[] => {
  if (isAdmin(profile)) return [unrestrictedRule];
  return profile.status === 'rejected' ? [] : rules;
};

/** Returns whether the caller may call an operation of the request's target. */
export const permissionOf = (
  principal: Pick<Principal, 'profile' | 'rules'>,
  operation: RuledOperation,
): CallPermission => callPermissionOf(rulesOf(principal), operation);

/** Returns `permissionOf` for this caller, for many operations. */
export const permissionsOf = (principal: Pick<Principal, 'profile' | 'rules'>) => compileRules(rulesOf(principal));
