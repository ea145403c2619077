import {
  type AccessGrant,
  toClientPair,
  toGroupPair,
  type Collection,
  type CollectionId,
  type Effects,
  type Grant,
  type GrantState,
  type GrantStore,
  type Group,
  type GroupId,
  type Instant,
  type Pair,
  type Profile,
  type ProfileId,
} from '@portico/domain';
import { nextId, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

type Grants = Pick<GrantStore, 'update'>;

/** A decision to grant one pair. The grant has an expiry and a rule only if the decision contains them. */
type GrantDecision = Effects & Pick<Grant, 'grantedAt'> & Partial<Grant>;

/** Grants one pair as `decide` determines. */
export const grantPair = (grants: Grants, pair: Pair, decide: (state: GrantState) => GrantDecision): Promise<void> =>
  grants.update([pair], (states) => {
    const { grantedAt, expiresAt = null, rule = null, ...effects } = decide(getOnlyState(states));
    return { put: [{ ...pair, grantedAt, expiresAt, rule }], ...effects };
  });

/** Removes the grant of one pair. */
export const revokePair = (grants: Grants, pair: Pair, decide: (state: GrantState) => Effects): Promise<void> =>
  grants.update([pair], (states) => ({ remove: [pair], ...decide(getOnlyState(states)) }));

/** Grants a collection to the client itself, rather than to a group. */
export const grantToClient = (
  grants: Grants,
  client: ProfileId,
  collection: CollectionId,
  decide: (state: GrantState) => GrantDecision,
): Promise<void> => grantPair(grants, toClientPair(client, collection), decide);

/** Revokes a client's own grant. */
export const revokeFromClient = (
  grants: Grants,
  client: ProfileId,
  collection: CollectionId,
  decide: (state: GrantState) => Effects,
): Promise<void> => revokePair(grants, toClientPair(client, collection), decide);

/** Adds a group that has access to the collection, with the profile as its only member. */
export const grantToGroup = async (
  { groups, grants }: Stores,
  { id }: Profile,
  collection: Collection,
): Promise<void> => {
  const groupId: GroupId = nextId();
  const group: Group = { id: groupId, name: groupId, description: '', tier: null, createdAt: start, updatedAt: start };
  await groups.add(group, noEffects);
  await groups.updateMembers(groupId, [id], start, () => ({ add: [{ id, addedAt: start }], ...noEffects }));
  const pair = toGroupPair(groupId, collection.id);
  await grants.update([pair], () => ({
    put: [{ ...pair, grantedAt: start, expiresAt: null, rule: null }],
    ...noEffects,
  }));
};

const getOnlyState = (states: readonly GrantState[]): GrantState => {
  const [state] = states;
  if (state === undefined || states.length !== 1) throw new Error(`One pair has ${states.length} states.`);
  return state;
};

/** Returns a client's own grant in the form that reads return. */
export const toOwnAccessGrant = (grantedAt: Instant, expiresAt: Instant | null = null): AccessGrant => ({
  group: null,
  grantedAt,
  expiresAt,
  rule: null,
});

/** Returns a group's grant in the form that reads about its members return. */
export const toGroupAccessGrant = (
  { id, name }: Pick<Group, 'id' | 'name'>,
  grantedAt: Instant,
  expiresAt: Instant | null = null,
): AccessGrant => ({ group: { id, name }, grantedAt, expiresAt, rule: null });
