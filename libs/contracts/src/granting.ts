import {
  type AccessWay,
  clientPair,
  type CollectionId,
  type Effects,
  type Grant,
  type GrantState,
  type GrantStore,
  type Group,
  type Instant,
  type Pair,
  type ProfileId,
} from '@portico/domain';

type Grants = Pick<GrantStore, 'update'>;

/** What a decision about one pair returns to grant it: without an end, unless it names one. */
type Granting = Effects & Pick<Grant, 'grantedAt'> & Partial<Grant>;

/** Grants one pair what the decision says. */
export const grantPair = (grants: Grants, pair: Pair, decide: (state: GrantState) => Granting): Promise<void> =>
  grants.update([pair], (states) => {
    const { grantedAt, expiresAt = null, ...effects } = decide(only(states));
    return { put: [{ ...pair, grantedAt, expiresAt }], ...effects };
  });

/** Removes the grant of one pair. */
export const revokePair = (grants: Grants, pair: Pair, decide: (state: GrantState) => Effects): Promise<void> =>
  grants.update([pair], (states) => ({ remove: [pair], ...decide(only(states)) }));

/** Grants a client a collection of its own. */
export const grantOne = (
  grants: Grants,
  client: ProfileId,
  collection: CollectionId,
  decide: (state: GrantState) => Granting,
): Promise<void> => grantPair(grants, clientPair(client, collection), decide);

/** Revokes a client's own grant. */
export const revokeOne = (
  grants: Grants,
  client: ProfileId,
  collection: CollectionId,
  decide: (state: GrantState) => Effects,
): Promise<void> => revokePair(grants, clientPair(client, collection), decide);

const only = (states: readonly GrantState[]): GrantState => {
  const [state] = states;
  if (state === undefined || states.length !== 1) throw new Error(`One pair has ${states.length} states.`);
  return state;
};

/** A client's own grant, as reads show it. */
export const ownWay = (grantedAt: Instant, expiresAt: Instant | null = null): AccessWay => ({
  group: null,
  grantedAt,
  expiresAt,
});

/** A grant of a group, as reads about its members show it. */
export const groupWay = (
  { id, name }: Pick<Group, 'id' | 'name'>,
  grantedAt: Instant,
  expiresAt: Instant | null = null,
): AccessWay => ({ group: { id, name }, grantedAt, expiresAt });
