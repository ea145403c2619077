import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { rejectPastExpiry } from '../../grants/expiry.ts';
import {
  type Grant,
  grantingRules,
  type GrantErrorCode,
  type GrantState,
  type Pair,
  revokingRules,
} from '../../grants/grant.ts';
import type { CollectionId } from '../../ids.ts';
import { type Instant, toIsoOrNull } from '../../instant.ts';
import type { GrantChange } from '../../ports/grant-store.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import { createSystemEntry } from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';
import { enforce, expiryFieldOf } from './grant-access.ts';
import { type GrantSelection, resolvePairs, type NamedPair } from './resolve-pairs.ts';

/** The maximum number of pairs in one request, including repeated ones. */
export const pairsMax = 10_000;

export type PairResult =
  'granted' | 'changed' | 'revoked' | 'already' | 'not_granted' | 'not_found' | 'ambiguous' | 'retired';

export interface PairOutcome extends NamedPair {
  readonly result: PairResult;
  /** Why nothing was done; null if something was done, or if no change was needed. */
  readonly reason: string | null;
  /** When the grant expires; null if there is no grant, or if it never expires. */
  readonly expiresAt: Instant | null;
}

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'grants' | 'groups' | 'profiles' | 'collections' | 'mailer'>;

/**
 * Grants every profile and group access to every collection, in one transaction, and closes the requests for them. Each
 * pair has its own outcome. If `expiresAt` is undefined, existing grants are left unchanged; any other value changes
 * their expiry.
 */
export const grantMany =
  (ports: RequiredPorts) =>
  async (
    authority: AdminAuthority,
    selection: GrantSelection,
    expiresAt?: Instant | null,
  ): Promise<readonly PairOutcome[]> => {
    rejectPastExpiry(expiresAt, ports.clock.now());
    return decideMany(ports, authority, selection, (state, now) => decideGrant(state, now, expiresAt));
  };

/**
 * Revokes the access of every profile and group to every collection, in the same way as `grantMany`. Access that a client has through
 * a group is kept.
 */
export const revokeMany =
  (ports: RequiredPorts) =>
  (authority: AdminAuthority, selection: GrantSelection): Promise<readonly PairOutcome[]> =>
    decideMany(ports, authority, selection, decideRevocation);

/** The decision about one pair. */
interface Decision {
  readonly result: PairResult;
  readonly errorCode?: GrantErrorCode;
  readonly expiresAt: Instant | null;
  readonly put?: Grant;
  readonly remove?: boolean;
  readonly requestsToClose?: readonly AccessRequest[];
  readonly message?: Parameters<typeof createSystemEntry>[2];
}

const decideGrant = (state: GrantState, now: Instant, expiresAt: Instant | null | undefined): Decision => {
  const errorCode = findErrorCode(grantingRules, state, now);
  if (errorCode === 'already_granted' && state.grant) return decideExtension(state, state.grant, now, expiresAt);
  if (errorCode === 'collection_retired') return { result: 'retired', errorCode, expiresAt: null };
  if (errorCode) return { result: 'not_found', errorCode, expiresAt: null };
  const grant = { grantedAt: now, expiresAt: expiresAt ?? null, rule: null };
  return {
    result: 'granted',
    expiresAt: grant.expiresAt,
    put: grant,
    requestsToClose: state.requests,
    message: { action: 'access.grant', ...enforce(grantingRules, state, now), ...expiryFieldOf(grant.expiresAt) },
  };
};

const decideExtension = (
  state: GrantState,
  grant: Grant,
  now: Instant,
  expiresAt: Instant | null | undefined,
): Decision => {
  if (expiresAt === undefined || expiresAt === grant.expiresAt)
    return { result: 'already', expiresAt: grant.expiresAt };
  const auditFields = enforce(revokingRules, state, now);
  return {
    result: 'changed',
    expiresAt,
    put: { ...grant, expiresAt },
    message: { action: 'access.expiry', ...auditFields, expires_at: toIsoOrNull(expiresAt) },
  };
};

const decideRevocation = (state: GrantState, now: Instant): Decision => {
  const errorCode = findErrorCode(revokingRules, state, now);
  if (errorCode === 'grant_not_found') return { result: 'not_granted', expiresAt: null };
  if (errorCode) return { result: 'not_found', errorCode, expiresAt: null };
  return {
    result: 'revoked',
    expiresAt: null,
    remove: true,
    message: { action: 'access.revoke', ...enforce(revokingRules, state, now) },
  };
};

const findErrorCode = (rules: typeof grantingRules, state: GrantState, now: Instant): GrantErrorCode | null => {
  for (const rule of rules) {
    const errorCode = rule(state, now);
    if (errorCode) return errorCode;
  }
  return null;
};

const decideMany = async (
  ports: RequiredPorts,
  authority: AdminAuthority,
  selection: GrantSelection,
  decide: (state: GrantState, now: Instant) => Decision,
): Promise<readonly PairOutcome[]> => {
  const namedPairs = await resolvePairs(ports, selection);
  const pairs = namedPairs.flatMap(({ pair }) => (pair ? [pair] : []));
  let decisions: readonly (readonly [GrantState, Decision])[] = [];
  if (pairs.length > 0) {
    await ports.grants.update(pairs, (states) => {
      const now = ports.clock.now();
      decisions = states.map((state) => [state, decide(state, now)] as const);
      return changeOf(ports, authority, decisions);
    });
  }
  return outcomesOf(namedPairs, decisions);
};

const outcomesOf = (
  namedPairs: readonly NamedPair[],
  decisions: readonly (readonly [GrantState, Decision])[],
): readonly PairOutcome[] => {
  const outcomes = decisions.values();
  const toUndecidedOutcome = undecidedOutcomesFrom(decisions);
  return namedPairs.map((namedPair): PairOutcome => {
    if (!namedPair.pair) return toUndecidedOutcome(namedPair);
    const nextDecision = outcomes.next();
    if (nextDecision.done) throw new Error('A pair has no outcome.');
    const [state, { result, errorCode, expiresAt }] = nextDecision.value;
    return { ...addCurrentNames(namedPair, state), result, expiresAt, reason: errorCode ? detailOf(errorCode) : null };
  });
};

/** Names a pair without a decision, using the decisions about other pairs with its grantee or its collection. */
const undecidedOutcomesFrom = (decisions: readonly (readonly [GrantState, Decision])[]) => {
  const keyOf = ({ kind, id }: Pick<NamedPair['grantee'], 'kind' | 'id'>) => `${kind} ${id}`;
  const grantees = new Map(decisions.map((entry) => [keyOf(entry[0].grantee), entry]));
  const collections = new Map(decisions.map(([{ collection, collectionName }]) => [collection, collectionName]));
  return (namedPair: NamedPair): PairOutcome => {
    const [state, decision] = grantees.get(keyOf(namedPair.grantee)) ?? [];
    const grantee = state ? addCurrentNames(namedPair, state).grantee : namedPair.grantee;
    const name = collections.get(namedPair.collection.id ?? ('' as CollectionId)) ?? namedPair.collection.name;
    const errorCode = decision?.errorCode && isAboutGrantee(decision.errorCode) ? decision.errorCode : null;
    return {
      ...namedPair,
      grantee,
      collection: { ...namedPair.collection, name },
      result: namedPair.isAmbiguous && !errorCode ? 'ambiguous' : 'not_found',
      reason: errorCode ? detailOf(errorCode) : namedPair.reason,
      expiresAt: null,
    };
  };
};

const isAboutGrantee = (errorCode: GrantErrorCode): boolean =>
  errorCode === 'client_not_found' || errorCode === 'group_not_found';

const detailOf = (errorCode: GrantErrorCode): string => new PorticoError(errorCode).message;

const changeOf = (
  ports: RequiredPorts,
  { actor, deadline }: AdminAuthority,
  decisions: readonly (readonly [GrantState, Decision])[],
): GrantChange => {
  const pairOf = ({ grantee, collection }: GrantState): Pair => ({ grantee, collection });
  return {
    put: decisions.flatMap(([state, { put }]) => (put ? [{ ...pairOf(state), ...put }] : [])),
    remove: decisions.flatMap(([state, { remove }]) => (remove ? [pairOf(state)] : [])),
    ...closeByGrant(
      ports,
      decisions.flatMap(([, { requestsToClose = [] }]) => requestsToClose),
      ports.clock.now(),
    ),
    entries: decisions.flatMap(([, { message }]) => (message ? [createSystemEntry(ports, actor, message)] : [])),
    deadline,
  };
};

/** Returns the pair with the current names of its objects; objects that do not exist keep the names of the request. */
const addCurrentNames = (
  { grantee, collection, ...rest }: NamedPair,
  { client, group, collectionName }: GrantState,
): NamedPair => ({
  ...rest,
  grantee: {
    ...grantee,
    name: client?.email ?? group?.name ?? grantee.name,
    ...((client ?? group) ? {} : { id: null }),
  },
  collection: { name: collectionName ?? collection.name, id: collectionName === null ? null : collection.id },
});

/** Returns the number of pairs, so that requests with too many can be rejected. */
export const countPairs = ({ profiles, groups, collections }: GrantSelection): number =>
  (profiles.length + groups.length) * collections.length;
