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

/** A decision that grants one pair: without an expiry, unless it has one. */
type Granting = Effects & Pick<Grant, 'grantedAt'> & Partial<Grant>;

/** Grants one pair as decided. */
export const grantPair = (grants: Grants, pair: Pair, decide: (state: GrantState) => Granting): Promise<void> =>
  grants.update([pair], (states) => {
    const { grantedAt, expiresAt = null, ...effects } = decide(only(states));
    return { put: [{ ...pair, grantedAt, expiresAt }], ...effects };
  });

/** Removes the grant of one pair. */
export const revokePair = (grants: Grants, pair: Pair, decide: (state: GrantState) => Effects): Promise<void> =>
  grants.update([pair], (states) => ({ remove: [pair], ...decide(only(states)) }));

/** Grants a collection to a client itself. */
export const grantToClient = (
  grants: Grants,
  client: ProfileId,
  collection: CollectionId,
  decide: (state: GrantState) => Granting,
): Promise<void> => grantPair(grants, clientPair(client, collection), decide);

/** Revokes a client's own grant. */
export const revokeFromClient = (
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

/** Returns a client's own grant as reads return it. */
export const ownWay = (grantedAt: Instant, expiresAt: Instant | null = null): AccessWay => ({
  group: null,
  grantedAt,
  expiresAt,
});

/** Returns a grant of a group as reads about its members return it. */
export const groupWay = (
  { id, name }: Pick<Group, 'id' | 'name'>,
  grantedAt: Instant,
  expiresAt: Instant | null = null,
): AccessWay => ({ group: { id, name }, grantedAt, expiresAt });
