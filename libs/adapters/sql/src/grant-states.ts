import type {
  AccessRequest,
  Grant,
  GrantState,
  Group,
  GroupId,
  LifecycleState,
  Pair,
  Profile,
  ProfileId,
} from '@portico/domain';
import { groupColumns } from './group-record.ts';
import { groupsOf } from './memberships.ts';
import { profileColumns, type ProfileColumns, profileOf } from './profile-record.ts';
import { requestColumns } from './request-record.ts';
import { type GrantColumns, ruleOf } from './rule-record.ts';
import type { Sql } from './sql.ts';
import { buildColumns } from './table.ts';

/** Prepares a function that reads the states of pairs in a fixed number of statements. */
export const prepareStates = (idsInJson: string) => {
  const selectProfiles = `select ${buildColumns('p', profileColumns)} from profiles p where p.id in (${idsInJson})`;
  const selectGroups = `select ${buildColumns('r', groupColumns)} from access_groups r where r.id in (${idsInJson})`;
  const selectNames = `select id, name, lifecycle from collections where id in (${idsInJson})`;
  const selectOwn = `select g.profile_id as "granteeId", ${grantColumns} from grants g
    where g.profile_id in (${idsInJson}) and g.collection_id in (${idsInJson})`;
  const selectOfGroups = `select g.group_id as "granteeId", ${grantColumns} from group_grants g
    where g.group_id in (${idsInJson}) and g.collection_id in (${idsInJson})`;
  const selectRequests = `select ${buildColumns('q', requestColumns)}, q.profile_id as "granteeId" from access_requests q
    where q.status = 'pending' and q.collection_id in (${idsInJson}) and q.profile_id in (${idsInJson})`;
  const selectMembersRequests = `select distinct ${buildColumns('q', requestColumns)}, r.id as "granteeId"
    from access_requests q join access_groups r on r.id in (${groupsOf('q.profile_id')})
    where q.status = 'pending' and q.collection_id in (${idsInJson}) and r.id in (${idsInJson})`;

  return async (sql: Sql, pairs: readonly Pair[]): Promise<readonly GrantState[]> => {
    const profileIds = toJson(pairs.map(({ grantee }) => (grantee.kind === 'profile' ? grantee.id : null)));
    const groupIds = toJson(pairs.map(({ grantee }) => (grantee.kind === 'group' ? grantee.id : null)));
    const collectionIds = toJson(pairs.map(({ collection }) => collection));
    const profiles = indexById((await sql.all<ProfileColumns>(selectProfiles, [profileIds])).map(profileOf));
    const groups = indexById(await sql.all<Group>(selectGroups, [groupIds]));
    const names = indexById(await sql.all<NameRow>(selectNames, [collectionIds]));
    const grants = new Map(
      [
        ...(await sql.all<GrantRow>(selectOwn, [profileIds, collectionIds])),
        ...(await sql.all<GrantRow>(selectOfGroups, [groupIds, collectionIds])),
      ].map((row) => [pairKeyOf(row.granteeId, row.collectionId), grantOf(row)]),
    );
    const requests = Map.groupBy(
      [
        ...(await sql.all<RequestRow>(selectRequests, [collectionIds, profileIds])),
        ...(await sql.all<RequestRow>(selectMembersRequests, [collectionIds, groupIds])),
      ],
      (row) => pairKeyOf(row.granteeId, row.collectionId),
    );
    return pairs.map(({ grantee, collection }) => {
      const key = pairKeyOf(grantee.id, collection);
      return {
        grantee,
        collection,
        client: (grantee.kind === 'profile' && profiles.get(grantee.id)) || null,
        group: (grantee.kind === 'group' && groups.get(grantee.id)) || null,
        collectionName: names.get(collection)?.name ?? null,
        lifecycle: names.get(collection)?.lifecycle ?? null,
        grant: grants.get(key) ?? null,
        requests: (requests.get(key) ?? []).map(({ granteeId: _granteeId, ...request }) => request),
      };
    });
  };
};

const grantColumns = buildColumns('g', ['collectionId', 'grantedAt', 'expiresAt', 'rule']);

interface NameRow {
  readonly id: string;
  readonly name: string;
  readonly lifecycle: LifecycleState;
}

interface GrantRow extends GrantColumns {
  readonly granteeId: string;
  readonly collectionId: string;
}

interface RequestRow extends AccessRequest {
  readonly granteeId: ProfileId | GroupId;
}

const grantOf = ({ grantedAt, expiresAt, rule }: GrantRow): Grant => ({ grantedAt, expiresAt, rule: ruleOf(rule) });

const pairKeyOf = (granteeId: string, collectionId: string): string => `${granteeId} ${collectionId}`;

const toJson = (ids: readonly (string | null)[]): string =>
  JSON.stringify([...new Set(ids.filter((id) => id !== null))]);

const indexById = <Item extends { readonly id: string } | Profile>(items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.id, item]));
