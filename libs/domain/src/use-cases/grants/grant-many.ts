import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { rejectPastExpiry } from '../../grants/expiry.ts';
import {
  type Grant,
  grantingRules,
  type GrantRefusal,
  type GrantState,
  type Pair,
  revokingRules,
} from '../../grants/grant.ts';
import type { CollectionId } from '../../ids.ts';
import { type Instant, isoOrNull } from '../../instant.ts';
import type { GrantChange } from '../../ports/grant-store.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import { systemEntry } from '../audit/system-entry.ts';
import { closeByGrant } from '../requests/close-by-grant.ts';
import { enforce, expiryField } from './grant-access.ts';
import { type GrantSelection, resolvePairs, type NamedPair } from './resolve-pairs.ts';

/** The maximum number of pairs in one request, including repeated ones. */
export const pairsMax = 10_000;

export type PairResult = 'granted' | 'changed' | 'revoked' | 'already' | 'not_granted' | 'not_found' | 'ambiguous';

export interface PairOutcome extends NamedPair {
  readonly result: PairResult;
  /** Why nothing was done; null if something was done, or if no change was needed. */
  readonly reason: string | null;
  /** When the grant expires; null if there is no grant, or if it never expires. */
  readonly expiresAt: Instant | null;
}

type Needs = Pick<Ports, 'clock' | 'random' | 'grants' | 'groups' | 'profiles' | 'collections' | 'mailer'>;

/**
 * Grants every profile and group access to every collection, in one transaction, and closes the requests for them. Each
 * pair has its own outcome. If `expiresAt` is undefined, existing grants are left unchanged; any other value changes
 * their expiry.
 */
export const grantMany =
  (ports: Needs) =>
  async (
    authority: AdminAuthority,
    many: GrantSelection,
    expiresAt?: Instant | null,
  ): Promise<readonly PairOutcome[]> => {
    rejectPastExpiry(expiresAt, ports.clock.now());
    return decideMany(ports, authority, many, (state, now) => decideGrant(state, now, expiresAt));
  };

/**
 * Revokes the access of every profile and group to every collection, in the same way. Access that a client has through
 * a group is kept.
 */
export const revokeMany =
  (ports: Needs) =>
  (authority: AdminAuthority, many: GrantSelection): Promise<readonly PairOutcome[]> =>
    decideMany(ports, authority, many, decideRevocation);

/** The decision about one pair. */
interface Decision {
  readonly result: PairResult;
  readonly refusal?: GrantRefusal;
  readonly expiresAt: Instant | null;
  readonly put?: Grant;
  readonly remove?: boolean;
  readonly closes?: readonly AccessRequest[];
  readonly message?: Parameters<typeof systemEntry>[2];
}

const decideGrant = (state: GrantState, now: Instant, expiresAt: Instant | null | undefined): Decision => {
  const refusal = firstRefusal(grantingRules, state, now);
  if (refusal === 'already_granted' && state.grant) return decideExtension(state, state.grant, now, expiresAt);
  if (refusal) return { result: 'not_found', refusal, expiresAt: null };
  const grant = { grantedAt: now, expiresAt: expiresAt ?? null };
  return {
    result: 'granted',
    expiresAt: grant.expiresAt,
    put: grant,
    closes: state.requests,
    message: { action: 'access.grant', ...enforce(grantingRules, state, now), ...expiryField(grant.expiresAt) },
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
  const names = enforce(revokingRules, state, now);
  return {
    result: 'changed',
    expiresAt,
    put: { grantedAt: grant.grantedAt, expiresAt },
    message: { action: 'access.expiry', ...names, expires_at: isoOrNull(expiresAt) },
  };
};

const decideRevocation = (state: GrantState, now: Instant): Decision => {
  const refusal = firstRefusal(revokingRules, state, now);
  if (refusal === 'grant_not_found') return { result: 'not_granted', expiresAt: null };
  if (refusal) return { result: 'not_found', refusal, expiresAt: null };
  return {
    result: 'revoked',
    expiresAt: null,
    remove: true,
    message: { action: 'access.revoke', ...enforce(revokingRules, state, now) },
  };
};

const firstRefusal = (rules: typeof grantingRules, state: GrantState, now: Instant): GrantRefusal | null => {
  for (const rule of rules) {
    const refusal = rule(state, now);
    if (refusal) return refusal;
  }
  return null;
};

const decideMany = async (
  ports: Needs,
  authority: AdminAuthority,
  many: GrantSelection,
  decide: (state: GrantState, now: Instant) => Decision,
): Promise<readonly PairOutcome[]> => {
  const resolved = await resolvePairs(ports, many);
  const pairs = resolved.flatMap(({ pair }) => (pair ? [pair] : []));
  let decisions: readonly (readonly [GrantState, Decision])[] = [];
  if (pairs.length > 0) {
    await ports.grants.update(pairs, (states) => {
      const now = ports.clock.now();
      decisions = states.map((state) => [state, decide(state, now)] as const);
      return changeOf(ports, authority, decisions);
    });
  }
  return outcomesOf(resolved, decisions);
};

const outcomesOf = (
  resolved: readonly NamedPair[],
  decisions: readonly (readonly [GrantState, Decision])[],
): readonly PairOutcome[] => {
  const outcomes = decisions.values();
  const nameUndecided = namesFrom(decisions);
  return resolved.map((namedPair): PairOutcome => {
    if (!namedPair.pair) return nameUndecided(namedPair);
    const next = outcomes.next();
    if (next.done) throw new Error('A pair has no outcome.');
    const [state, { result, refusal, expiresAt }] = next.value;
    return { ...withNames(namedPair, state), result, expiresAt, reason: refusal ? detailOf(refusal) : null };
  });
};

/** Names a pair without a decision, using the decisions about other pairs with its grantee or its collection. */
const namesFrom = (decisions: readonly (readonly [GrantState, Decision])[]) => {
  const keyOf = ({ kind, id }: Pick<NamedPair['grantee'], 'kind' | 'id'>) => `${kind} ${id}`;
  const grantees = new Map(decisions.map((entry) => [keyOf(entry[0].grantee), entry]));
  const collections = new Map(decisions.map(([{ collection, collectionName }]) => [collection, collectionName]));
  return (namedPair: NamedPair): PairOutcome => {
    const [state, decision] = grantees.get(keyOf(namedPair.grantee)) ?? [];
    const grantee = state ? withNames(namedPair, state).grantee : namedPair.grantee;
    const name = collections.get(namedPair.collection.id ?? ('' as CollectionId)) ?? namedPair.collection.name;
    const refusal = decision?.refusal && isAboutGrantee(decision.refusal) ? decision.refusal : null;
    return {
      ...namedPair,
      grantee,
      collection: { ...namedPair.collection, name },
      result: namedPair.ambiguous && !refusal ? 'ambiguous' : 'not_found',
      reason: refusal ? detailOf(refusal) : namedPair.reason,
      expiresAt: null,
    };
  };
};

const isAboutGrantee = (refusal: GrantRefusal): boolean =>
  refusal === 'client_not_found' || refusal === 'group_not_found';

const detailOf = (refusal: GrantRefusal): string => new PorticoError(refusal).message;

const changeOf = (
  ports: Needs,
  { actor, deadline }: AdminAuthority,
  decisions: readonly (readonly [GrantState, Decision])[],
): GrantChange => {
  const pairOf = ({ grantee, collection }: GrantState): Pair => ({ grantee, collection });
  return {
    put: decisions.flatMap(([state, { put }]) => (put ? [{ ...pairOf(state), ...put }] : [])),
    remove: decisions.flatMap(([state, { remove }]) => (remove ? [pairOf(state)] : [])),
    ...closeByGrant(
      ports,
      decisions.flatMap(([, { closes = [] }]) => closes),
      ports.clock.now(),
    ),
    entries: decisions.flatMap(([, { message }]) => (message ? [systemEntry(ports, actor, message)] : [])),
    deadline,
  };
};

/** Returns the pair with the current names of its objects; objects that do not exist keep the names of the request. */
const withNames = (
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
