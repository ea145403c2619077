/**
 * SQL for the grants of profiles: their own, and those of their groups. A profile is a member of a group because an
 * administrator added it, or because its newest token contains the group's name.
 */

/**
 * Returns SQL that selects the `group_id` of each of a profile's groups; `profile` is an expression in the surrounding
 * SQL. The result may contain duplicates, and null for names that no group has. A subquery looks up the name: for a
 * join, PostgreSQL would read all groups.
 */
export const groupsOf = (profile: string): string =>
  `select m.group_id from group_members m where m.profile_id = ${profile}
    union all select (select r.id from access_groups r where r.name = k.name) from claimed_groups k
      where k.profile_id = ${profile}`;

/**
 * Returns SQL that selects the ids of the collections that a profile owns as a member of their owner group. The
 * parameters are those of `profile`, twice.
 */
export const ownedIds = (profile: string): string =>
  `select c.id from (${groupsOf(profile)}) mine cross join collections c
    where c.owner_group = mine.group_id and c.owner_group is not null`;

/** Selects the members of all groups; the result may contain duplicates. */
export const allMembers = `select m.profile_id, m.group_id from group_members m
  union all select k.profile_id, r.id as group_id from claimed_groups k join access_groups r on r.name = k.name`;

/** Returns the condition that a grant has not expired. The parameter is the instant. */
export const isLive = (grant: string): string => `(${grant}.expires_at is null or ${grant}.expires_at > ?)`;

/**
 * Selects the ids of the collections that a profile can access at an instant. For the parameters, see
 * `toGrantedIdsParameters`.
 */
export const grantedIds = `select g.collection_id from grants g where g.profile_id = ? and ${isLive('g')}
  union select g.collection_id from (${groupsOf('?')}) mine cross join group_grants g
  where g.group_id = mine.group_id and ${isLive('g')}`;

export const toGrantedIdsParameters = (profile: string, instant: number) =>
  [profile, instant, profile, profile, instant] as const;

/**
 * Returns the condition that a profile can access a collection at an instant, for use with few collections. For the
 * parameters, see `toIsGrantedParameters`.
 */
export const isGranted = (collection: string): string => `(exists (select 1 from grants g
    where g.profile_id = ? and g.collection_id = ${collection} and ${isLive('g')})
  or exists (select 1 from group_grants g where g.collection_id = ${collection} and ${isLive('g')}
    and g.group_id in (${groupsOf('?')})))`;

export const toIsGrantedParameters = (profile: string, instant: number) =>
  [profile, instant, instant, profile, profile] as const;
