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

/** A decision to grant one pair. The grant does not expire unless the decision contains an expiry. */
type Granting = Effects & Pick<Grant, 'grantedAt'> & Partial<Grant>;

/** Grants one pair as `decide` determines. */
export const grantPair = (grants: Grants, pair: Pair, decide: (state: GrantState) => Granting): Promise<void> =>
  grants.update([pair], (states) => {
    const { grantedAt, expiresAt = null, ...effects } = decide(only(states));
    return { put: [{ ...pair, grantedAt, expiresAt }], ...effects };
  });

/** Removes the grant of one pair. */
export const revokePair = (grants: Grants, pair: Pair, decide: (state: GrantState) => Effects): Promise<void> =>
  grants.update([pair], (states) => ({ remove: [pair], ...decide(only(states)) }));

/** Grants a collection to the client itself, rather than to a group. */
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

/** Returns a client's own grant in the form that reads return. */
export const ownWay = (grantedAt: Instant, expiresAt: Instant | null = null): AccessWay => ({
  group: null,
  grantedAt,
  expiresAt,
});

/** Returns a group's grant in the form that reads about its members return. */
export const groupWay = (
  { id, name }: Pick<Group, 'id' | 'name'>,
  grantedAt: Instant,
  expiresAt: Instant | null = null,
): AccessWay => ({ group: { id, name }, grantedAt, expiresAt });
