import type { Collection, Group, Instant, Profile } from '@portico/domain';
import { aCollection, aDocumentContent, aGroup, aProfile, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** Records that are unrelated until a membership or a grant connects them. */
interface UnrelatedRecords {
  readonly client: Profile;
  readonly group: Group;
  readonly collection: Collection;
}

/** Adds a client, a group and a collection that are unrelated to each other. */
export const addUnrelatedRecords = async (
  stores: Stores,
  fields: { readonly [Name in keyof UnrelatedRecords]?: Partial<UnrelatedRecords[Name]> } = {},
): Promise<UnrelatedRecords> => {
  const [client, group, collection] = [aProfile(fields.client), aGroup(fields.group), aCollection(fields.collection)];
  await stores.profiles.add(client, noEffects);
  await stores.groups.add(group, noEffects);
  await stores.collections.add(collection, aDocumentContent(), noEffects);
  return { client, group, collection };
};

/** Adds profiles to a group, as an administrator does. */
export const addToGroup = (
  { groups }: Stores,
  { id }: Pick<Group, 'id'>,
  profiles: readonly Pick<Profile, 'id'>[],
  addedAt: Instant = start,
): Promise<void> =>
  groups.updateMembers(id, idsOf(profiles), start, (_group, states) => ({
    add: states.map((state) => ({ id: state.id, addedAt })),
    ...noEffects,
  }));

/** Removes profiles from a group, as an administrator does. */
export const removeFromGroup = (
  { groups }: Stores,
  { id }: Pick<Group, 'id'>,
  profiles: readonly Pick<Profile, 'id'>[],
): Promise<void> => groups.updateMembers(id, idsOf(profiles), start, () => ({ remove: idsOf(profiles), ...noEffects }));

/** Stores the claims of a token that names these groups and was seen 1 ms after it was issued. */
export const claimGroups = (
  { groups }: Stores,
  { id }: Pick<Profile, 'id'>,
  names: readonly string[],
  issuedAt: Instant = start,
): Promise<void> => groups.syncClaims(id, { names, issuedAt, seenAt: issuedAt + 1 }, () => noEffects);

const idsOf = (profiles: readonly Pick<Profile, 'id'>[]) => profiles.map(({ id }) => id);
