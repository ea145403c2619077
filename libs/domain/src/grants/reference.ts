import type { CollectionId, GroupId, ProfileId } from '../ids.ts';

/** Something as an administrator names it: by its id, or by the name that it has (a profile's is its e-mail). */
export type Reference<Id> = { readonly by: 'id'; readonly id: Id } | { readonly by: 'name'; readonly name: string };

export type ProfileReference = Reference<ProfileId>;
export type GroupReference = Reference<GroupId>;
export type CollectionReference = Reference<CollectionId>;

/** What it was named by. */
export const given = <Id extends string>(reference: Reference<Id>): string =>
  reference.by === 'id' ? reference.id : reference.name;
