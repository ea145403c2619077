import {
  type AccessWay,
  type Instant,
  clientPair,
  type CollectionId,
  type Effects,
  type Grant,
  type GrantState,
  type GrantStore,
  type ProfileId,
} from '@portico/domain';

/** What a decision about one pair returns to grant it. */
type Granting = Effects & Pick<Grant, 'grantedAt'> & Partial<Grant>;

/** Grants a client a collection; without an end, unless the decision names one. */
export const grantOne = (
  grants: Pick<GrantStore, 'update'>,
  client: ProfileId,
  collection: CollectionId,
  decide: (state: GrantState) => Granting,
): Promise<void> => {
  const pair = clientPair(client, collection);
  return grants.update([pair], (states) => {
    const { grantedAt, expiresAt = null, ...effects } = decide(only(states));
    return { put: [{ ...pair, grantedAt, expiresAt }], ...effects };
  });
};

/** Revokes a client's own grant. */
export const revokeOne = (
  grants: Pick<GrantStore, 'update'>,
  client: ProfileId,
  collection: CollectionId,
  decide: (state: GrantState) => Effects,
): Promise<void> => {
  const pair = clientPair(client, collection);
  return grants.update([pair], (states) => ({ remove: [pair], ...decide(only(states)) }));
};

const only = <T>(states: readonly T[]): T => {
  const [state] = states;
  if (state === undefined || states.length !== 1) throw new Error(`One pair has ${states.length} states.`);
  return state;
};

/** A client's own grant without an end, as reads show it. */
export const ownWay = (grantedAt: Instant): AccessWay => ({ group: null, grantedAt, expiresAt: null });
