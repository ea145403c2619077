import {
  type AccessRequest,
  type AccessRequestStore,
  type NewRequestState,
  type CatalogEntry,
  type CatalogPage,
  type CollectionId,
  type LifecycleState,
  type ListedRequest,
  PorticoError,
  type Profile,
  type ProfileId,
  type RequestFilter,
  type RequestPage,
  type Visibility,
} from '@portico/domain';
import { writeEffects } from './effects.ts';
import { GrantEntity } from './entities/access-entities.ts';
import { touchGrants } from './grant-store.ts';
import { grantedIds, ownedIds, toGrantedIdsParameters } from './memberships.ts';
import { findProfile } from './profile-store.ts';
import { insertRequest, requestColumns, writeDecisions } from './request-record.ts';
import { type GrantColumns, ruleOf, toRuleText } from './rule-record.ts';
import type { Sql, SqlDatabase, Value } from './sql.ts';
import { buildColumns, upsertInto, write } from './table.ts';

export const createSqlRequestStore = (
  database: SqlDatabase,
  { idsInJson }: { readonly idsInJson: string },
): AccessRequestStore => ({
  async create(requester, collection, now, decide) {
    await database.transact(async (transaction) => {
      const change = decide(await readRequestState(transaction, requester, collection, now));
      await write(transaction, insertRequest, change.request);
      await writeEffects(transaction, change);
    });
  },

  async find(id) {
    return findRequest(database.reads, id);
  },

  async countPending() {
    const text = `select count(*) as total from access_requests where status = 'pending'`;
    return (await database.reads.first<{ total: number }>(text))?.total ?? 0;
  },

  async list(filter, page) {
    const { text, parameters } = buildListStatement(filter, page);
    return (await database.reads.all<RequestRow>(text, parameters)).map(requestOf);
  },

  async decide(id, decide, decider = null) {
    await database.transact(async (transaction) => {
      const request = await findRequest(transaction, id);
      const profile = request && (await findProfile(transaction, request.profileId));
      if (!profile) throw new PorticoError('request_not_found');
      const { profileId, collectionId } = request;
      const grant = (await transaction.first<GrantColumns>(selectGrant, [profileId, collectionId])) ?? null;
      const change = decide({
        request,
        profile,
        grant: grant && { ...grant, rule: ruleOf(grant.rule) },
        lifecycle: (await transaction.first<LifecycleRow>(selectLifecycle, [collectionId]))?.lifecycle ?? 'active',
        isOwned:
          decider !== null && (await transaction.first(selectOwned, [decider, decider, collectionId])) !== undefined,
      });
      await writeDecisions(transaction, [{ ...change.request, id }]);
      if (change.grant) {
        const { grantedAt, expiresAt, rule } = change.grant;
        const columns = { profileId, collectionId, grantedAt, expiresAt, rule: toRuleText(rule) };
        await write(transaction, putGrant, columns);
        await touchGrants(transaction, [profileId]);
      }
      await writeEffects(transaction, change);
    });
  },

  async listCatalog(visibility, page) {
    const { text, parameters } = buildCatalogStatement(visibility, page);
    return database.reads.all<CatalogEntry>(text, parameters);
  },

  async findDiscoverable(ids) {
    const text = `select c.id from collections c where c.discoverable = ? and c.id in (${idsInJson})`;
    const rows = await database.reads.all<{ id: CollectionId }>(text, [true, JSON.stringify(ids)]);
    return new Set(rows.map(({ id }) => id));
  },
});

/** A composed statement, with the values for its `?` parameters. */
interface Statement {
  readonly text: string;
  readonly parameters: readonly Value[];
}
type Part = readonly [text: string, ...parameters: Value[]];

const joinParts = (parts: readonly (Part | null)[]): Statement => {
  const presentParts = parts.filter((part) => part !== null);
  return {
    text: presentParts.map(([text]) => text).join(' '),
    parameters: presentParts.flatMap(([, ...parameters]) => parameters),
  };
};

/** SQLite stores a boolean as 0 or 1. */
type RequestRow = Omit<ListedRequest, 'discoverable'> & { readonly discoverable: boolean | number };
const requestOf = (row: RequestRow): ListedRequest => ({ ...row, discoverable: Boolean(row.discoverable) });

const selectRequests = `select ${buildColumns('q', requestColumns)}, p.email, p.full_name as "fullName",
    c.name as "collectionName", c.discoverable
  from access_requests q join profiles p on p.id = q.profile_id join collections c on c.id = q.collection_id`;
const selectGrant = `select g.granted_at as "grantedAt", g.expires_at as "expiresAt", g.rule from grants g
  where g.profile_id = ? and g.collection_id = ?`;
const putGrant = upsertInto(GrantEntity, 'profileId', 'collectionId');

const findRequest = async (sql: Sql, id: AccessRequest['id']): Promise<ListedRequest | null> => {
  const row = await sql.first<RequestRow>(`${selectRequests} where q.id = ?`, [id]);
  return row ? requestOf(row) : null;
};

interface LifecycleRow {
  readonly lifecycle: LifecycleState;
}
const selectLifecycle = 'select lifecycle from collections where id = ?';
const selectOwned = `select owned.id from (${ownedIds('?')}) owned where owned.id = ?`;
const selectCollection = 'select id, name, discoverable, lifecycle from collections where id = ?';
const selectPending = `select q.collection_id as id from access_requests q where q.profile_id = ? and q.status = 'pending'`;

const readRequestState = async (
  sql: Sql,
  requester: ProfileId,
  collection: CollectionId,
  now: number,
): Promise<NewRequestState> => {
  const profile: Profile | null = await findProfile(sql, requester);
  const row = await sql.first<NonNullable<NewRequestState['collection']>>(selectCollection, [collection]);
  const selectLiveGrant = `select 1 from (${grantedIds}) g where g.collection_id = ?`;
  const pendingRows = await sql.all<{ id: CollectionId }>(selectPending, [requester]);
  return {
    profile,
    collection: row ? { ...row, discoverable: Boolean(row.discoverable) } : null,
    hasGrant: (await sql.first(selectLiveGrant, [...toGrantedIdsParameters(requester, now), collection])) !== undefined,
    hasPendingRequest: pendingRows.some(({ id }) => id === collection),
    pendingCount: pendingRows.length,
  };
};

const buildListStatement = (
  { status, profileId, collectionId, ownedBy = null }: RequestFilter,
  { limit, order, after }: RequestPage,
): Statement => {
  const [comparison, direction] = order === 'oldest first' ? ['>', 'asc'] : ['<', 'desc'];
  return joinParts([
    [`${selectRequests} where true`],
    status && ['and q.status = ?', status],
    profileId && ['and q.profile_id = ?', profileId],
    collectionId && ['and q.collection_id = ?', collectionId],
    ownedBy && [
      `and (q.profile_id ${ownedBy.own === 'included' ? '= ? or' : '<> ? and'} q.collection_id in (${ownedIds('?')}))`,
      ...[ownedBy.profileId, ownedBy.profileId, ownedBy.profileId],
    ],
    after && [`and (q.created_at, q.id) ${comparison} (?, ?)`, after.createdAt, after.id],
    [`order by q.created_at ${direction}, q.id ${direction} limit ?`, limit],
  ]);
};

/**
 * Returns the SQL for a reader's access to a collection, and the condition for the collections that the reader can see.
 */
const buildVisibilityParts = (visibility: Visibility): { readonly access: Part; readonly visible: Part } => {
  switch (visibility.scope) {
    case 'all':
      return { access: [`'granted'`], visible: ['true'] };
    case 'none':
      return { access: [`'none'`], visible: [isShown, true] };
    case 'granted': {
      const grantedParameters = toGrantedIdsParameters(visibility.profileId, visibility.now);
      return {
        access: [
          `case when c.id in (${grantedIds}) then 'granted' when c.id in (${selectPending}) then 'requested' else 'none' end`,
          ...grantedParameters,
          visibility.profileId,
        ],
        visible: [`(${isShown} or c.id in (${grantedIds}))`, true, ...grantedParameters],
      };
    }
  }
};

/** The condition for the collections that the catalog shows to everyone. */
const isShown = `(c.discoverable = ? and c.lifecycle <> 'retired')`;

const buildCatalogStatement = (visibility: Visibility, { containing, limit, after }: CatalogPage): Statement => {
  const { access, visible } = buildVisibilityParts(visibility);
  const pattern = `%${toAsciiLowerCase(containing ?? '').replace(/[!%_]/g, '!$&')}%`;
  return joinParts([
    ['select c.id, c.name, c.description,'],
    access,
    ['as access from collections c where'],
    visible,
    after && ['and (c.name_key, c.id) > (?, ?)', after.nameKey, after.id],
    containing === null
      ? null
      : [`and (lower(c.name) like ? escape '!' or lower(c.description) like ? escape '!')`, pattern, pattern],
    ['order by c.name_key, c.id limit ?', limit],
  ]);
};

/** Lowercases only ASCII letters, as `lower` does on both databases. */
const toAsciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
