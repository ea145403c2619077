import type { Collection, Group, Instant, Profile } from '@portico/domain';
import { aCollection, aContent, aGroup, aProfile, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** What belongs together once somebody joins and grants. */
interface Strangers {
  readonly client: Profile;
  readonly group: Group;
  readonly collection: Collection;
}

/** A client, a group and a collection that have nothing to do with each other. */
export const strangers = async (
  stores: Stores,
  facts: { readonly [Name in keyof Strangers]?: Partial<Strangers[Name]> } = {},
): Promise<Strangers> => {
  const [client, group, collection] = [aProfile(facts.client), aGroup(facts.group), aCollection(facts.collection)];
  await stores.profiles.add(client, noEffects);
  await stores.groups.add(group, noEffects);
  await stores.collections.add(collection, aContent(), noEffects);
  return { client, group, collection };
};

/** An administrator puts profiles into a group. */
export const join = (
  { groups }: Stores,
  { id }: Pick<Group, 'id'>,
  profiles: readonly Pick<Profile, 'id'>[],
  addedAt: Instant = start,
): Promise<void> =>
  groups.updateMembers(id, idsOf(profiles), start, (_group, states) => ({
    add: states.map((state) => ({ id: state.id, addedAt })),
    ...noEffects,
  }));

/** An administrator takes profiles out of a group. */
export const leave = (
  { groups }: Stores,
  { id }: Pick<Group, 'id'>,
  profiles: readonly Pick<Profile, 'id'>[],
): Promise<void> => groups.updateMembers(id, idsOf(profiles), start, () => ({ remove: idsOf(profiles), ...noEffects }));

/** A token of the profile names these groups; it is presented a moment after it was issued. */
export const claim = (
  { groups }: Stores,
  { id }: Pick<Profile, 'id'>,
  names: readonly string[],
  issuedAt: Instant = start,
): Promise<void> => groups.followClaims(id, { names, issuedAt, seenAt: issuedAt + 1 }, () => noEffects);

const idsOf = (profiles: readonly Pick<Profile, 'id'>[]) => profiles.map(({ id }) => id);
