import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { refusePast } from '../../grants/expiry.ts';
import {
  type Grant,
  grantingRules,
  type GrantRefusal,
  type GrantState,
  type Pair,
  revokingRules,
} from '../../grants/grant.ts';
import type { CollectionId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { GrantChange } from '../../ports/grant-store.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import { systemEntry } from '../audit/system-entry.ts';
import { closedByGrant } from '../requests/closed-by-grant.ts';
import { enforce, isoOrNull, until } from './grant-access.ts';
import { type Granting, namedPairs, type NamedPair } from './named-pairs.ts';

/** The pairs of one request, repeated ones included. */
export const pairsMax = 10_000;

export type PairResult = 'granted' | 'changed' | 'revoked' | 'already' | 'not_granted' | 'not_found' | 'ambiguous';

export interface PairOutcome extends NamedPair {
  readonly result: PairResult;
  /** Why nothing was done; null if something was, or if it was so before. */
  readonly reason: string | null;
  /** When the grant expires; null if there is none, or if it never does. */
  readonly expiresAt: Instant | null;
}

type Needs = Pick<Ports, 'clock' | 'random' | 'grants' | 'groups' | 'profiles' | 'collections' | 'mailer'>;

/**
 * Grants every profile and group every collection, in one transaction, and closes the requests for them. Each pair has an
 * outcome of its own. `expiresAt` undefined leaves grants that there are as they are; any other changes when they expire.
 */
export const grantMany =
  (ports: Needs) =>
  async (authority: AdminAuthority, many: Granting, expiresAt?: Instant | null): Promise<readonly PairOutcome[]> => {
    refusePast(expiresAt ?? null, ports.clock.now());
    return decideMany(ports, authority, many, (state, now) => granted(state, now, expiresAt));
  };

/** Revokes every collection from every profile and group, likewise. What a client has by a group stays. */
export const revokeMany =
  (ports: Needs) =>
  (authority: AdminAuthority, many: Granting): Promise<readonly PairOutcome[]> =>
    decideMany(ports, authority, many, revoked);

/** What is done about one pair. */
interface Decision {
  readonly result: PairResult;
  readonly refusal?: GrantRefusal;
  readonly expiresAt: Instant | null;
  readonly put?: Grant;
  readonly remove?: boolean;
  readonly closes?: readonly AccessRequest[];
  readonly message?: Parameters<typeof systemEntry>[2];
}

const granted = (state: GrantState, now: Instant, expiresAt: Instant | null | undefined): Decision => {
  const refusal = firstRefusal(grantingRules, state, now);
  if (refusal === 'already_granted' && state.grant) return extended(state, state.grant, now, expiresAt);
  if (refusal) return { result: 'not_found', refusal, expiresAt: null };
  const grant = { grantedAt: now, expiresAt: expiresAt ?? null };
  return {
    result: 'granted',
    expiresAt: grant.expiresAt,
    put: grant,
    closes: state.requests,
    message: { action: 'access.grant', ...enforce(grantingRules, state, now), ...until(grant.expiresAt) },
  };
};

const extended = (state: GrantState, grant: Grant, now: Instant, expiresAt: Instant | null | undefined): Decision => {
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

const revoked = (state: GrantState, now: Instant): Decision => {
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
  many: Granting,
  decide: (state: GrantState, now: Instant) => Decision,
): Promise<readonly PairOutcome[]> => {
  const named = await namedPairs(ports, many);
  const pairs = named.flatMap(({ pair }) => (pair ? [pair] : []));
  let decided: readonly (readonly [GrantState, Decision])[] = [];
  if (pairs.length > 0) {
    await ports.grants.update(pairs, (states) => {
      const now = ports.clock.now();
      decided = states.map((state) => [state, decide(state, now)] as const);
      return changeOf(ports, authority, decided);
    });
  }
  return outcomesOf(named, decided);
};

const outcomesOf = (
  named: readonly NamedPair[],
  decided: readonly (readonly [GrantState, Decision])[],
): readonly PairOutcome[] => {
  const outcomes = decided.values();
  const nameUndecided = namesFrom(decided);
  return named.map((one): PairOutcome => {
    if (!one.pair) return nameUndecided(one);
    const next = outcomes.next();
    if (next.done) throw new Error('A pair has no outcome.');
    const [state, { result, refusal, expiresAt }] = next.value;
    return { ...withNames(one, state), result, expiresAt, reason: refusal ? detailOf(refusal) : null };
  });
};

/** Names a pair without a decision by what the decisions about others say of its grantee and its collection. */
const namesFrom = (decided: readonly (readonly [GrantState, Decision])[]) => {
  const keyOf = ({ kind, id }: Pick<NamedPair['grantee'], 'kind' | 'id'>) => `${kind} ${id}`;
  const grantees = new Map(decided.map((one) => [keyOf(one[0].grantee), one]));
  const collections = new Map(decided.map(([{ collection, collectionName }]) => [collection, collectionName]));
  return (one: NamedPair): PairOutcome => {
    const [state, decision] = grantees.get(keyOf(one.grantee)) ?? [];
    const grantee = state ? withNames(one, state).grantee : one.grantee;
    const name = collections.get(one.collection.id ?? ('' as CollectionId)) ?? one.collection.name;
    const refusal = decision?.refusal && isAboutGrantee(decision.refusal) ? decision.refusal : null;
    return {
      ...one,
      grantee,
      collection: { ...one.collection, name },
      result: one.ambiguous && !refusal ? 'ambiguous' : 'not_found',
      reason: refusal ? detailOf(refusal) : one.reason,
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
  decided: readonly (readonly [GrantState, Decision])[],
): GrantChange => {
  const pairOf = ({ grantee, collection }: GrantState): Pair => ({ grantee, collection });
  return {
    put: decided.flatMap(([state, { put }]) => (put ? [{ ...pairOf(state), ...put }] : [])),
    remove: decided.flatMap(([state, { remove }]) => (remove ? [pairOf(state)] : [])),
    ...closedByGrant(
      ports,
      decided.flatMap(([, { closes = [] }]) => closes),
      ports.clock.now(),
    ),
    entries: decided.flatMap(([, { message }]) => (message ? [systemEntry(ports, actor, message)] : [])),
    deadline,
  };
};

/** The pair with the names that its objects have now; those that there are not keep what they were named by. */
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

/** How many pairs there are, for the refusal of too many. */
export const countPairs = ({ profiles, groups, collections }: Granting): number =>
  (profiles.length + groups.length) * collections.length;
