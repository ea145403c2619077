import type { AccessRequest, Group, Instant, MemberState, Membership, ProfileId } from '@portico/domain';
import { isLive } from './memberships.ts';
import { profileColumns, type ProfileColumns, profileOf } from './profile-record.ts';
import { requestColumns } from './request-record.ts';
import type { Sql } from './sql.ts';
import { buildColumns } from './table.ts';

/**
 * Prepares a function that reads the states of profiles for a decision about members, in a fixed number of statements.
 */
export const prepareMemberStates = (idsInJson: string) => {
  const selectProfiles = `select ${buildColumns('p', profileColumns)} from profiles p where p.id in (${idsInJson})`;
  const selectAdded = `select m.profile_id as "profileId", m.added_at as "at" from group_members m
    where m.group_id = ? and m.profile_id in (${idsInJson})`;
  const selectClaimed = `select k.profile_id as "profileId", p.claims_seen_at as "at" from claimed_groups k
    join profiles p on p.id = k.profile_id where k.name = ? and k.profile_id in (${idsInJson})`;
  const selectRequests = `select ${buildColumns('q', requestColumns)} from access_requests q
    join group_grants g on g.collection_id = q.collection_id and g.group_id = ? and ${isLive('g')}
    where q.status = 'pending' and q.profile_id in (${idsInJson})`;

  return async (
    sql: Sql,
    group: Group,
    profiles: readonly ProfileId[],
    now: Instant,
  ): Promise<readonly MemberState[]> => {
    const ids = JSON.stringify([...new Set(profiles)]);
    const profilesById = new Map(
      (await sql.all<ProfileColumns>(selectProfiles, [ids])).map(profileOf).map((profile) => [profile.id, profile]),
    );
    const addedTimes = timesOf(await sql.all<MemberRow>(selectAdded, [group.id, ids]));
    const claimedTimes = timesOf(await sql.all<MemberRow>(selectClaimed, [group.name, ids]));
    const requests = Map.groupBy(
      await sql.all<AccessRequest>(selectRequests, [group.id, now, ids]),
      ({ profileId }) => profileId,
    );
    return profiles.map((id) => ({
      id,
      profile: profilesById.get(id) ?? null,
      addedAt: addedTimes.get(id) ?? null,
      claimedAt: claimedTimes.get(id) ?? null,
      requests: requests.get(id) ?? [],
    }));
  };
};

interface MemberRow {
  readonly profileId: ProfileId;
  readonly at: Membership['addedAt'];
}

const timesOf = (rows: readonly MemberRow[]): ReadonlyMap<ProfileId, Membership['addedAt']> =>
  new Map(rows.map(({ profileId, at }) => [profileId, at]));
