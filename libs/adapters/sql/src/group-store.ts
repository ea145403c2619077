import {
  type AccessRequest,
  allGroups,
  foldCase,
  type Group,
  type GroupClaims,
  type GroupCollection,
  type GroupId,
  type GroupMember,
  type GroupPage,
  type GroupStore,
  type ListedGroup,
  PorticoError,
  type ProfileId,
} from '@portico/domain';
import { touchGroups } from './collection-store.ts';
import { writeEffects } from './effects.ts';
import { ClaimedGroupEntity, GroupMemberEntity } from './entities/access-entities.ts';
import { ProfileEntity } from './entities/profile-entity.ts';
import { buildNextValue, createEpochParameters } from './epochs.ts';
import { groupColumns, insertGroup, updateGroup } from './group-record.ts';
import { prepareMemberStates } from './member-states.ts';
import { isLive } from './memberships.ts';
import { claimColumns, type ClaimColumns, claimsOf } from './profile-record.ts';
import { requestColumns, writeDecisions } from './request-record.ts';
import { type GrantColumns, ruleOf } from './rule-record.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns, columnsOf, insertInto, updateOf, upsertInto, write, writeEach } from './table.ts';

/** Returns the ids and names of all groups, sorted by name. */
export const listGroupNames = (sql: Sql): Promise<readonly Pick<Group, 'id' | 'name'>[]> =>
  sql.all('select id, name from access_groups order by name');

export const createSqlGroupStore = (
  database: SqlDatabase,
  { idsInJson }: { readonly idsInJson: string },
): GroupStore => ({
  async add(group, effects) {
    await database.transact(async (transaction) => {
      await rejectUnknownTier(transaction, null, group.tier);
      await translateTaken(database, () => write(transaction, insertGroup, group));
      await transaction.run(touchGroups, createEpochParameters());
      await writeEffects(transaction, effects);
    }, effects.deadline);
  },

  async list(now, page = allGroups) {
    const isFullList = page.limit === null && page.containing === null && page.after === null;
    const ids = isFullList ? [] : await idsOf(database.reads, page);
    const [condition, parameters] = isFullList ? ['', []] : [`where r.id in (${idsInJson})`, [JSON.stringify(ids)]];
    return database.reads.all<ListedGroup>(`${selectListed} ${condition} order by r.name`, [now, ...parameters]);
  },

  async count(containing) {
    return (await idsOf(database.reads, { ...allGroups, containing })).length;
  },

  async find(id, now) {
    return (await database.reads.first<ListedGroup>(`${selectListed} where r.id = ?`, [now, id])) ?? null;
  },

  async findByNames(names) {
    const text = `select ${buildColumns('r', groupColumns)} from access_groups r where r.name in (${idsInJson})`;
    return database.reads.all<Group>(text, [JSON.stringify(names)]);
  },

  async update(id, decide, renaming = null) {
    return database.transact(async (transaction) => {
      const currentGroup = await load(transaction, id);
      const requests = renaming
        ? await transaction.all<AccessRequest>(selectNamedRequests, [renaming.name, id, renaming.now])
        : [];
      const change = decide(currentGroup, requests);
      await rejectUnknownTier(transaction, currentGroup.tier, change.group.tier);
      await translateTaken(database, () => write(transaction, updateGroup, { ...change.group, id }));
      await transaction.run(touchGroups, createEpochParameters());
      await writeDecisions(transaction, change.requests);
      await writeEffects(transaction, change);
      return change.group;
    });
  },

  async remove(id, decide) {
    await database.transact(async (transaction) => {
      const effects = decide(await load(transaction, id));
      // The foreign keys also delete the group's members and grants.
      await transaction.run('delete from access_groups where id = ?', [id]);
      await transaction.run(clearOwner, [id]);
      await transaction.run(touchGroups, createEpochParameters());
      await writeEffects(transaction, effects);
    });
  },

  async listCollections(id, now) {
    const rows = await database.reads.all<GrantColumns & Omit<GroupCollection, 'rule'>>(selectCollections, [id, now]);
    if (rows.length > 0) return rows.map((row) => ({ ...row, rule: ruleOf(row.rule) }));
    return (await database.reads.first(selectGroup, [id])) ? [] : null;
  },

  ...membersOf(database, idsInJson),
});

const membersOf = (
  database: SqlDatabase,
  idsInJson: string,
): Pick<GroupStore, 'listMembers' | 'listByProfile' | 'updateMembers' | 'syncClaims' | 'clearClaims'> => {
  const memberStates = prepareMemberStates(idsInJson);
  const touchMembers = prepareTouch(idsInJson);
  const deleteMembers = `delete from group_members where group_id = ? and profile_id in (${idsInJson})`;
  return {
    async listMembers(id) {
      const rows = await database.reads.all<GroupMember>(selectMembers, [id, id]);
      if (rows.length > 0) return rows;
      return (await database.reads.first(selectGroup, [id])) ? [] : null;
    },

    async listByProfile(profile) {
      return database.reads.all(selectGroupsOf, [profile, profile]);
    },

    async updateMembers(id, profiles, now, decide) {
      await database.transact(async (transaction) => {
        const group = await load(transaction, id);
        const change = decide(group, await memberStates(transaction, group, profiles, now));
        const { add = [], remove = [] } = change;
        const newRows = add.map(({ id: profileId, addedAt }) => ({ profileId, groupId: id, addedAt }));
        await writeEach(transaction, putMember, newRows);
        if (remove.length > 0) await transaction.run(deleteMembers, [id, JSON.stringify(remove)]);
        await touchMembers(transaction, [...newRows.map(({ profileId }) => profileId), ...remove]);
        await writeDecisions(transaction, change.requests);
        await writeEffects(transaction, change);
      });
    },

    async syncClaims(profile, claims, decide) {
      await database.transact(async (transaction) => {
        const row = await transaction.first<ClaimColumns>(selectClaims, [profile]);
        const currentClaims = row && claimsOf(row);
        if (!row || (currentClaims && currentClaims.issuedAt > claims.issuedAt)) return;
        await writeClaims(transaction, profile, claims);
        const requests = await transaction.all<AccessRequest>(selectClaimedRequests, [claims.seenAt, profile]);
        const previousNames = new Set(currentClaims?.names);
        if (claims.names.length !== previousNames.size || claims.names.some((name) => !previousNames.has(name)))
          await touchMembers(transaction, [profile]);
        const change = decide(currentClaims ?? null, requests);
        await writeDecisions(transaction, change.requests);
        await writeEffects(transaction, change);
      });
    },

    async clearClaims() {
      return database.transact(async (transaction) => {
        const profiles = await transaction.all<{ id: ProfileId }>(
          'select id from profiles where claimed_groups is not null',
        );
        await transaction.run('delete from claimed_groups');
        await transaction.run(`update profiles set claimed_groups = null, claims_issued_at = null, claims_seen_at = null
        where claimed_groups is not null`);
        await touchMembers(
          transaction,
          profiles.map(({ id }) => id),
        );
        return profiles.length;
      });
    },
  };
};

const clearOwner = 'update collections set owner_group = null, revision = revision + 1 where owner_group = ?';
const selectGroup = `select ${buildColumns('r', groupColumns)} from access_groups r where r.id = ?`;
/** Selects the members of the group `r`. A member that was both added and claimed counts once. */
const membersOfGroup = `select m.profile_id from group_members m where m.group_id = r.id
  union select k.profile_id from claimed_groups k where k.name = r.name`;
/** Selects groups with their counts. The first parameter is the instant. */
const selectListed = `select ${buildColumns('r', groupColumns)}, (select count(*) from (${membersOfGroup}) x) as "members",
  (select count(*) from group_grants g where g.group_id = r.id and ${isLive('g')}) as "collections" from access_groups r`;
const selectCollections = `select c.id, c.name, g.granted_at as "grantedAt", g.expires_at as "expiresAt", g.rule from group_grants g
  join collections c on c.id = g.collection_id where g.group_id = ? and ${isLive('g')} order by c.name_key, c.id`;
const selectMembers = `select p.id as "profileId", p.email, p.full_name as "fullName",
    max(w.added_at) as "addedAt", max(w.claimed_at) as "claimedAt"
  from (select m.profile_id, m.added_at, null as claimed_at from group_members m where m.group_id = ?
    union all select k.profile_id, null as added_at, p.claims_seen_at as claimed_at from access_groups r
      join claimed_groups k on k.name = r.name join profiles p on p.id = k.profile_id where r.id = ?) w
  join profiles p on p.id = w.profile_id group by p.id, p.email, p.full_name order by p.email`;
const selectGroupsOf = `select ${buildColumns('r', groupColumns)}, max(w.added_at) as "addedAt", max(w.claimed_at) as "claimedAt"
  from (select m.group_id, m.added_at, null as claimed_at from group_members m where m.profile_id = ?
    union all select r.id as group_id, null as added_at, p.claims_seen_at as claimed_at from claimed_groups k
      join profiles p on p.id = k.profile_id join access_groups r on r.name = k.name where k.profile_id = ?) w
  join access_groups r on r.id = w.group_id group by r.id order by r.name`;
/** Selects a profile's pending requests for collections that its claimed groups can access. */
const selectClaimedRequests = `select distinct ${buildColumns('q', requestColumns)} from access_requests q
  join claimed_groups k on k.profile_id = q.profile_id join access_groups r on r.name = k.name
  join group_grants g on g.group_id = r.id and g.collection_id = q.collection_id and ${isLive('g')}
  where q.status = 'pending' and q.profile_id = ?`;
/** Selects the pending requests for a group's collections from profiles whose tokens contain this name. */
const selectNamedRequests = `select ${buildColumns('q', requestColumns)} from access_requests q
  join claimed_groups k on k.profile_id = q.profile_id and k.name = ?
  join group_grants g on g.collection_id = q.collection_id and g.group_id = ? and ${isLive('g')}
  where q.status = 'pending'`;
const selectClaims = `select ${buildColumns('p', claimColumns)} from profiles p where p.id = ?`;
const putMember = upsertInto(GroupMemberEntity, 'profileId', 'groupId');
const putClaims = updateOf(ProfileEntity, 'id', claimColumns);
const insertClaim = insertInto(ClaimedGroupEntity, columnsOf(ClaimedGroupEntity));

/** Prepares a function that advances the grants epoch of profiles whose memberships have changed. */
const prepareTouch = (idsInJson: string) => {
  const touchProfiles = `update profiles set grants_epoch = ${buildNextValue('grants_epoch')}, in_groups =
      exists (select 1 from group_members m where m.profile_id = profiles.id)
      or exists (select 1 from claimed_groups k where k.profile_id = profiles.id) where id in (${idsInJson})`;
  return async (sql: Sql, profiles: readonly ProfileId[]): Promise<void> => {
    if (profiles.length > 0) await sql.run(touchProfiles, [...createEpochParameters(), JSON.stringify(profiles)]);
  };
};

/**
 * Returns the ids of the matching groups. Reads all names, which are few and short, because the databases fold only
 * ASCII letters.
 */
const idsOf = async (sql: Sql, { containing, limit, after }: GroupPage): Promise<readonly GroupId[]> => {
  // No name is empty.
  const names = await sql.all<Pick<Group, 'id' | 'name'>>(selectNames, [after ?? '']);
  const matches =
    containing === null ? names : names.filter(({ name }) => foldCase(name).includes(foldCase(containing)));
  return matches.slice(0, limit ?? matches.length).map(({ id }) => id);
};

const selectNames = 'select r.id, r.name from access_groups r where r.name > ? order by r.name';

const load = async (sql: Sql, id: GroupId): Promise<Group> => {
  const group = await sql.first<Group>(selectGroup, [id]);
  if (!group) throw new PorticoError('group_not_found');
  return group;
};

const writeClaims = async (sql: Sql, id: ProfileId, { names, issuedAt, seenAt }: GroupClaims): Promise<void> => {
  const claimedGroups = JSON.stringify(names);
  await write(sql, putClaims, { id, claimedGroups, claimsIssuedAt: issuedAt, claimsSeenAt: seenAt });
  await sql.run('delete from claimed_groups where profile_id = ?', [id]);
  await writeEach(
    sql,
    insertClaim,
    names.map((name) => ({ profileId: id, name })),
  );
};

const rejectUnknownTier = async (sql: Sql, currentTier: string | null, tier: string | null): Promise<void> => {
  if (tier !== null && tier !== currentTier && !(await sql.first('select tier from tiers where tier = ?', [tier])))
    throw new PorticoError('tier_not_found');
};

/** Translates a violation of the group name's uniqueness to `group_taken`. */
const translateTaken = async (database: SqlDatabase, store: () => Promise<unknown>): Promise<void> => {
  try {
    await store();
  } catch (cause) {
    if (database.findViolatedKey(cause) === 'access_groups.name') throw new PorticoError('group_taken', { cause });
    throw cause;
  }
};
