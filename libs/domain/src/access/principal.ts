import type { Collection, CollectionHead, Visibility } from '../collections/collection.ts';
import type { Deadline } from '../deadline.ts';
import { PorticoError } from '../errors.ts';
import type { GroupClaims } from '../groups/group.ts';
import type { CollectionId, ProfileId, ServiceAccountId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import type { ClientLimits } from '../limits/limit.ts';
import type { StoredKey } from '../profiles/api-key.ts';
import { type Actor, type Profile, unstoredAdmin } from '../profiles/profile.ts';
import type { AccountKey, Scope, ServiceAccount } from '../service-accounts/service-account.ts';

/**
 * Numbers that grow with each change of what they name. Data derived from rows may be kept in memory under them,
 * because they are read in the statement that authorises the request.
 */
export interface Epochs {
  /** This profile's own grants, and which groups it belongs to. */
  readonly grants: number;
  /** Groups: which there are, and their grants. */
  readonly groups: number;
  /** Collections: any creation, change or deletion. */
  readonly catalog: number;
  /** The highest `sequence` of an embedding (see `EmbeddingStore`). */
  readonly embeddings: number;
  /** The highest `sequence` of an operation block (see `OperationBlockStore`). */
  readonly operations: number;
  /** The model that searches use; null before the first (see `SearchModels`). */
  readonly searchModel: string | null;
}

/** How much of a collection is read: the parts that answers show, or everything but its document. */
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

/** Everything needed to judge a request, read at one moment. */
export interface CallerRow<Found extends CollectionHead = CollectionHead> {
  readonly profile: Profile;
  readonly key: StoredKey | null;
  readonly limits: ClientLimits;
  readonly epochs: Epochs;
  /** The requested part of the collection that the request is about; null if there is none or it does not exist. */
  readonly target: Found | null;
  /** Whether the profile has a grant for the target at `readAt`, of its own or of a group. */
  readonly granted: boolean;
  /** When the first of all its grants expires after `readAt`, its groups' included; null if none does. */
  readonly accessUntil: Instant | null;
  /** What the newest identity token said; null if none did. */
  readonly claims: GroupClaims | null;
  /** The moment that grants were judged by. */
  readonly readAt: Instant;
}

/** The same for a service account, which has neither limits nor grants. */
export interface AccountRow<Found extends CollectionHead = CollectionHead> {
  readonly account: ServiceAccount;
  readonly key: AccountKey | null;
  /** Those of grants are 0. */
  readonly epochs: Epochs;
  readonly target: Found | null;
}

/** What a request presents as its credential. */
export type Credential =
  | { readonly kind: 'none' }
  /** Cannot be a credential; `form` is what it was meant to be. */
  | { readonly kind: 'malformed'; readonly form: 'token' | 'key' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly clientId: string; readonly secret: string }
  | { readonly kind: 'account'; readonly id: ServiceAccountId; readonly token: string }
  | OperatorCredential;

declare const ofOperator: unique symbol;

/** What the operator's command line presents in its own process. No text is read as one: only this file makes it. */
export interface OperatorCredential {
  readonly kind: 'operator';
  readonly [ofOperator]: true;
}

export const operatorCredential = { kind: 'operator' } as OperatorCredential;

/**
 * Who may call: `token` takes an identity token, `token or key` an API key pair as well, `admin` an admin's token. Each
 * takes a service account too, where it holds the scope.
 */
export type RequiredAuth = 'token' | 'token or key' | 'admin';

/**
 * Why a request has no caller. `token_required`: a key came to an endpoint that takes none, and was not checked.
 * `unregistered`: the token is valid, but no profile is bound to its issuer and uid. `suspended`: the profile is; the
 * answer is that of an unknown one.
 */
export type AuthenticationFailure =
  'no_credential' | 'token_required' | 'invalid_token' | 'invalid_api_credentials' | 'unregistered' | 'suspended';

/** Whether an API key was presented, or something meant as one. */
export const isKey = (credential: Credential): boolean =>
  credential.kind === 'key' || (credential.kind === 'malformed' && credential.form === 'key');

/** The caller, and what the database said about them in the statement that judged this request. */
export interface Identified<Found extends CollectionHead = CollectionHead> extends Omit<
  CallerRow<Found>,
  'key' | 'claims'
> {
  /** Of a service account, `profile` is the one that it acts as (`actingProfile`); of the operator, it is nobody's. */
  readonly via: 'token' | 'key' | 'account' | 'operator';
  /** Those of a service account; absent for everyone else. */
  readonly scopes?: readonly Scope[];
}

/** What a principal needs of the row. */
export const withoutSecrets = <Found extends CollectionHead>({
  profile,
  limits,
  epochs,
  target,
  granted,
  accessUntil,
  readAt,
}: CallerRow<Found>): Omit<Identified<Found>, 'via'> => ({
  profile,
  limits,
  epochs,
  target,
  granted,
  accessUntil,
  readAt,
});

/** An identified caller whose request was admitted. */
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
declare const inPerson: unique symbol;

/**
 * What admin-only use cases require. Only this file mints it: for an admin, and for the operator, who has the stores
 * anyway.
 */
export interface AdminAuthority extends Initiator {
  readonly [minted]: true;
}

/**
 * What use cases require that no service account may run, whatever its scopes: they decide who is an admin, who has
 * credentials, and what service accounts there are.
 */
export interface PersonAuthority extends AdminAuthority {
  readonly [inPerson]: true;
}

const mint = (initiator: Initiator): PersonAuthority => initiator as PersonAuthority;

/** For the operator's command line. No request over the network ever gets it. */
export const operatorAuthority: PersonAuthority = mint({ actor: null, deadline: null });

/** The authority of an admin, of a service account or of the operator; throws `admin_required` for everyone else. */
export const authorityOf = ({
  profile,
  deadline,
  via,
}: Pick<Principal, 'profile' | 'deadline'> & Partial<Pick<Principal, 'via'>>): AdminAuthority => {
  if (!isAdmin(profile)) throw new PorticoError('admin_required');
  return mint({ actor: via === 'operator' ? null : { id: profile.id, email: profile.email }, deadline });
};

/** The authority of an admin in person; throws `no_service_accounts` for a service account. */
export const personAuthorityOf = (principal: Pick<Principal, 'profile' | 'via' | 'deadline'>): PersonAuthority => {
  if (principal.via === 'account') throw new PorticoError('no_service_accounts');
  return authorityOf(principal) as PersonAuthority;
};

/**
 * The operator as the caller of an application in its own process: an admin of whom no row says anything, so that it has
 * neither limits nor uses, and reads no single collection. A list that was kept is never its list a moment later.
 */
export const operatorCaller = (_credential: OperatorCredential, now: Instant): Identified<never> => ({
  profile: unstoredAdmin({
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
  granted: false,
  accessUntil: null,
  readAt: now,
  via: 'operator',
});

/** Throws `no_service_accounts` or `scope_required` for a service account without this scope; null: for every one. */
export const refuseUnscoped = (
  { via, scopes: held = [] }: Pick<Identified, 'via' | 'scopes'>,
  scope: Scope | null,
): void => {
  if (via !== 'account') return;
  if (scope === null) throw new PorticoError('no_service_accounts');
  if (!held.includes(scope)) throw new PorticoError('scope_required', { because: scope });
};

/** Judged by the row that this request has read, never by a token's claims (specification, section 2). */
export const isAdmin = (profile: Principal['profile']): boolean =>
  profile.role === 'admin' && profile.status === 'approved';

/** An admin sees all, a rejected profile nothing, everyone else what was granted to them (specification, section 2). */
export const visibilityOf = ({ profile, readAt }: Principal): Visibility => {
  if (isAdmin(profile)) return { of: 'all' };
  if (profile.status === 'rejected') return { of: 'nothing' };
  return { of: 'granted', to: profile.id, at: readAt };
};

/**
 * Names what the caller may see and the state of the catalog, by the epochs that this request has read from the
 * database. Data derived from both may be kept under this name: a grant, a revocation, an expiry or a change makes a new
 * one.
 */
export const listVersion = ({ profile, epochs, accessUntil }: Principal): string =>
  `${epochs.catalog}/${
    isAdmin(profile)
      ? 'all'
      : `${profile.id}/${profile.status}/${epochs.grants}/${epochs.groups}/${accessUntil ?? 'always'}`
  }`;

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
