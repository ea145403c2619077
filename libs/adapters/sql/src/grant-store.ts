import type {
  AccessGrant,
  ClientAccess,
  CollectionAccess,
  CollectionId,
  Grant,
  GrantStore,
  GroupId,
  Pair,
  ProfileId,
} from '@portico/domain';
import { touchGroups } from './collection-store.ts';
import { writeEffects } from './effects.ts';
import { GrantEntity, GroupGrantEntity } from './entities/access-entities.ts';
import { buildNextValue, createEpochParameters } from './epochs.ts';
import { prepareStates } from './grant-states.ts';
import { allMembers, groupsOf, isLive } from './memberships.ts';
import { profileColumns, type ProfileColumns, profileOf } from './profile-record.ts';
import { findProfile } from './profile-store.ts';
import { writeDecisions } from './request-record.ts';
import { type GrantColumns, joinedRules, ruleOf, rulesOf, toRuleText } from './rule-record.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns, upsertInto, writeEach } from './table.ts';

export const createSqlGrantStore = (
  database: SqlDatabase,
  { idsInJson }: { readonly idsInJson: string },
): GrantStore => {
  const statesOf = prepareStates(idsInJson);
  const selectRules = buildSelectRules(idsInJson);
  return {
    async update(pairs, decide) {
      await database.transact(async (transaction) => {
        const change = decide(await statesOf(transaction, pairs));
        const { put = [], remove = [] } = change;
        await writeGrants(transaction, put);
        await removeGrants(transaction, remove);
        await advanceEpochs(transaction, [...put, ...remove]);
        await writeDecisions(transaction, change.requests);
        await writeEffects(transaction, change);
      });
    },

    async listCollections(id, now) {
      // Read in this order: if the profile exists now, it also existed while its grants were read.
      const rows = await database.reads.all<CollectionRow>(selectCollections, [id, now, id, id, now]);
      const client = await findProfile(database.reads, id);
      return client && { client, collections: groupRows(rows, (row) => row.id).map(collectionOf) };
    },

    async listClients(collection, now) {
      const rows = await database.reads.all<ClientRow>(selectClients, [collection, now, collection, now, collection]);
      if (rows.length === 0) return null;
      return groupRows(rows.filter(isClient), (row) => row.id).map(clientOf);
    },

    async listRules(profile, collections, now) {
      const ids = JSON.stringify(collections);
      const parameters = [profile, ids, now, profile, profile, ids, now];
      const rows = await database.reads.all<{ id: CollectionId; rules: string }>(selectRules, parameters);
      return new Map(rows.map(({ id, rules }) => [id, rulesOf(rules)]));
    },
  };
};

const upsertOwnGrant = upsertInto(GrantEntity, 'profileId', 'collectionId');
const upsertGroupGrant = upsertInto(GroupGrantEntity, 'groupId', 'collectionId');

const writeGrants = async (sql: Sql, grants: readonly (Pair & Grant)[]): Promise<void> => {
  const ownGrants: (GrantColumns & { profileId: ProfileId; collectionId: CollectionId })[] = [];
  const groupGrants: (GrantColumns & { groupId: GroupId; collectionId: CollectionId })[] = [];
  for (const { grantee, collection: collectionId, grantedAt, expiresAt, rule } of grants) {
    const columns = { collectionId, grantedAt, expiresAt, rule: toRuleText(rule) };
    if (grantee.kind === 'profile') ownGrants.push({ profileId: grantee.id, ...columns });
    else groupGrants.push({ groupId: grantee.id, ...columns });
  }
  await writeEach(sql, upsertOwnGrant, ownGrants);
  await writeEach(sql, upsertGroupGrant, groupGrants);
};

const removeGrants = async (sql: Sql, pairs: readonly Pair[]): Promise<void> => {
  const idsOfKind = (kind: Pair['grantee']['kind']) =>
    pairs.filter(({ grantee }) => grantee.kind === kind).map(({ grantee, collection }) => [grantee.id, collection]);
  await sql.runEach('delete from grants where profile_id = ? and collection_id = ?', idsOfKind('profile'));
  await sql.runEach('delete from group_grants where group_id = ? and collection_id = ?', idsOfKind('group'));
};

/** Advances the epochs of the profiles and groups whose grants have changed. */
const advanceEpochs = async (sql: Sql, pairs: readonly Pair[]): Promise<void> => {
  const clients = new Set(pairs.flatMap(({ grantee }) => (grantee.kind === 'profile' ? [grantee.id] : [])));
  await touchGrants(sql, [...clients]);
  if (pairs.some(({ grantee }) => grantee.kind === 'group')) await sql.run(touchGroups, createEpochParameters());
};

/** Advances the grants epoch of these profiles. */
export const touchGrants = (sql: Sql, profiles: readonly ProfileId[]): Promise<void> =>
  sql.runEach(
    `update profiles set grants_epoch = ${buildNextValue('grants_epoch')} where id = ?`,
    profiles.map((id) => [...createEpochParameters(), id]),
  );

/** One grant through which a client can access a collection. */
interface AccessGrantRow extends GrantColumns {
  readonly groupId: GroupId | null;
  readonly groupName: string | null;
}
type NoGrantRow = { readonly [Name in keyof AccessGrantRow]: null };
const isGrantRow = (row: AccessGrantRow | NoGrantRow): row is AccessGrantRow => row.grantedAt !== null;

type CollectionRow = (AccessGrantRow | NoGrantRow) & Omit<CollectionAccess, 'grants'>;
interface ClientGrantRow extends AccessGrantRow, ProfileColumns {}
/** A single row without a client means that the collection has no grants. */
type ClientRow = ClientGrantRow | { readonly id: null };
const isClient = (row: ClientRow): row is ClientGrantRow => row.id !== null;

const collectionOf = ([row, ...others]: RowGroup<CollectionRow>): CollectionAccess => ({
  id: row.id,
  name: row.name,
  description: row.description,
  grants: [row, ...others].flatMap((grantRow) => (isGrantRow(grantRow) ? [accessGrantOf(grantRow)] : [])),
});

const clientOf = ([row, ...others]: RowGroup<ClientGrantRow>): ClientAccess => ({
  profile: profileOf(row),
  grants: [accessGrantOf(row), ...others.map(accessGrantOf)],
});

/** A group of rows with the same key. */
type RowGroup<Row> = readonly [Row, ...Row[]];

const groupRows = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly RowGroup<Row>[] =>
  [...Map.groupBy(rows, keyOf).values()] as unknown as readonly RowGroup<Row>[];

const accessGrantOf = ({ groupId, groupName, grantedAt, expiresAt, rule }: AccessGrantRow): AccessGrant => ({
  group: groupId === null || groupName === null ? null : { id: groupId, name: groupName },
  grantedAt,
  expiresAt,
  rule: ruleOf(rule),
});

const grantColumns = buildColumns('w', ['groupId', 'groupName', 'grantedAt', 'expiresAt', 'rule']);
const ownGrantColumns = 'null as group_id, null as group_name, g.granted_at, g.expires_at, g.rule';
const groupGrantColumns = 'r.id as group_id, r.name as group_name, g.granted_at, g.expires_at, g.rule';
/** Sorts a client's own grant first. */
const grantOrder = 'w.group_name is not null, w.group_name';

/**
 * Selects each collection with every grant through which a profile can access it. The parameters are the profile and the
 * instant, twice.
 */
const selectCollections = `select ${buildColumns('c', ['id', 'name', 'description'])}, ${grantColumns}
  from collections c left join (
    select g.collection_id, ${ownGrantColumns} from grants g where g.profile_id = ? and ${isLive('g')}
    union select g.collection_id, ${groupGrantColumns} from (${groupsOf('?')}) m join access_groups r on r.id = m.group_id
      join group_grants g on g.group_id = r.id where ${isLive('g')}) w on w.collection_id = c.id
  order by c.name_key, c.id, ${grantOrder}`;

const selectClients = `select ${buildColumns('p', profileColumns)}, ${grantColumns}
  from collections c left join (
    select g.profile_id, g.collection_id, ${ownGrantColumns} from grants g where g.collection_id = ? and ${isLive('g')}
    union select m.profile_id, g.collection_id, ${groupGrantColumns} from group_grants g join access_groups r on r.id = g.group_id
      join (${allMembers}) m on m.group_id = g.group_id where g.collection_id = ? and ${isLive('g')}
  ) w on w.collection_id = c.id left join profiles p on p.id = w.profile_id
  where c.id = ? order by p.email, ${grantOrder}`;

/** Selects the rules of a profile's live grants by collection. */
const buildSelectRules = (idsInJson: string): string =>
  `select live.collection_id as "id", case when count(*) > count(live.rule) then '' else ${joinedRules} end as "rules" from (
    select g.collection_id, g.rule from grants g
      where g.profile_id = ? and g.collection_id in (${idsInJson}) and ${isLive('g')}
    union all select g.collection_id, g.rule from (${groupsOf('?')}) mine cross join group_grants g
      where g.group_id = mine.group_id and g.collection_id in (${idsInJson}) and ${isLive('g')}) live
  group by live.collection_id`;
