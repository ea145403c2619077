import type { CollectionId, GroupId, ProfileId } from '../ids.ts';

/**
 * A reference to an object, as given by an administrator: the object's id, or its current name (for a profile, its
 * email).
 */
export type Reference<Id> = { readonly by: 'id'; readonly id: Id } | { readonly by: 'name'; readonly name: string };

export type ProfileReference = Reference<ProfileId>;
export type GroupReference = Reference<GroupId>;
export type CollectionReference = Reference<CollectionId>;

/** Returns the id or name that was given. */
export const referenceTextOf = <Id extends string>(reference: Reference<Id>): string =>
  reference.by === 'id' ? reference.id : reference.name;
