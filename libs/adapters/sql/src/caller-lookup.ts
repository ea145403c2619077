import type {
  AccountRow,
  CallerLookup,
  CallerRow,
  CollectionHead,
  Epochs,
  Instant,
  OperationRule,
  ServiceAccountId,
  Target,
  TargetDetail,
  TargetDetails,
} from '@portico/domain';
import { collectionColumns, type CollectionColumns, collectionOf, headColumns, headOf } from './collection-record.ts';
import {
  type LimitColumns,
  limitColumns,
  limitsOf,
  limitTables,
  mostGenerousTier,
  tierAsText,
} from './limit-record.ts';
import { isLive } from './memberships.ts';
import { claimColumns, claimsOf, keyColumns, keyOf, profileColumns, profileOf } from './profile-record.ts';
import type { ClaimColumns, KeyColumns, ProfileColumns } from './profile-record.ts';
import { joinedRules, rulesOf } from './rule-record.ts';
import { accountStateColumns, type AccountStateColumns, accountStateOf } from './service-account-record.ts';
import type { PreparedReads } from './sql.ts';
import { buildColumns } from './table.ts';

/** Creates the lookup of the hot path: one prepared statement, which sees committed data. */
export const createSqlCallerLookup = (reads: PreparedReads): CallerLookup => {
  const readBy = (condition: string) => {
    const readWithoutTarget = reads.prepareFirst<CallerColumns>(buildStatement(condition, callerColumns, ''));
    const prepare = <Detail extends TargetDetail>(
      names: readonly (keyof CollectionColumns)[],
      toPart: (row: CollectionColumns) => TargetDetails[Detail],
    ) => {
      const readWithTarget = reads.prepareFirst<CallerColumns & TargetColumns>(buildTargetStatement(condition, names));
      const toTarget = createTargetMapper(names, toPart);
      return async (
        value: string,
        { id }: Target<Detail>,
        now: Instant,
      ): Promise<CallerRow<TargetDetails[Detail]> | null> => {
        const row = await readWithTarget(value, value, now, now, now, now, now, now, id, value);
        return row ? callerOf(row, toTarget(row), rulesOf(row.rules), Boolean(row.ownsTarget), now) : null;
      };
    };
    const readersByPart: { readonly [Detail in TargetDetail]: ReturnType<typeof prepare<Detail>> } = {
      head: prepare<'head'>(headColumns, headOf),
      full: prepare<'full'>(collectionColumns, collectionOf),
    };

    return async <Detail extends TargetDetail = 'head'>(
      value: string,
      target: Target<Detail> | null,
      now: Instant,
    ): Promise<CallerRow<TargetDetails[Detail]> | null> => {
      if (target) return readersByPart[target.detail](value, target, now);
      const row = await readWithoutTarget(value, value, now, now, value);
      return row ? callerOf<TargetDetails[Detail]>(row, null, [], false, now) : null;
    };
  };
  const byClientId = readBy('p.client_id = ?');
  const byProfileId = readBy('p.id = ?');

  return {
    findByUid: readBy('p.uid = ?'),
    findByClientId: byClientId,
    findByEitherId: async (id, now) => (await byClientId(id, null, now)) ?? byProfileId(id, null, now),
    findByAccountId: readAccounts(reads),
  };
};

const readAccounts = (reads: PreparedReads): CallerLookup['findByAccountId'] => {
  const readWithoutTarget = reads.prepareFirst<AccountCallerColumns>(
    `select ${accountCallerColumns} ${accountTables} ${whereAccount}`,
  );
  const prepare = <Detail extends TargetDetail>(
    names: readonly (keyof CollectionColumns)[],
    toPart: (row: CollectionColumns) => TargetDetails[Detail],
  ) => {
    const readWithTarget = reads.prepareFirst<AccountCallerColumns & StoredTarget>(
      `select ${accountCallerColumns}, ${buildColumns('c', names, 'target_')}
        ${accountTables} left join collections c on c.id = ? ${whereAccount}`,
    );
    const toTarget = createTargetMapper(names, toPart);
    return async (id: string, target: Target<Detail>): Promise<AccountRow<TargetDetails[Detail]> | null> => {
      const row = await readWithTarget(target.id, id);
      return row ? accountRowOf(row, toTarget(row)) : null;
    };
  };
  const readersByPart: { readonly [Detail in TargetDetail]: ReturnType<typeof prepare<Detail>> } = {
    head: prepare<'head'>(headColumns, headOf),
    full: prepare<'full'>(collectionColumns, collectionOf),
  };

  return async <Detail extends TargetDetail = 'head'>(id: ServiceAccountId, target: Target<Detail> | null) => {
    if (target) return readersByPart[target.detail](id, target);
    const row = await readWithoutTarget(id);
    return row ? accountRowOf<TargetDetails[Detail]>(row, null) : null;
  };
};

interface EpochColumns {
  readonly groups: number;
  readonly catalog: number;
  readonly embeddings: number;
  readonly operations: number;
  readonly searchModel: string | null;
}

interface CallerColumns extends ProfileColumns, KeyColumns, ClaimColumns, EpochColumns, LimitColumns {
  readonly grantsEpoch: number;
  readonly ownUntil: Instant | null;
  readonly groupsUntil: Instant | null;
}

type AccountCallerColumns = AccountStateColumns & EpochColumns;

/** Contains only the columns of the requested part; all of them are null if there is no such collection. */
type TargetColumns = { readonly [Name in keyof CollectionColumns as `target_${Name}`]: CollectionColumns[Name] } & {
  /** See `rulesOf`. */
  readonly rules: string | null;
  /** SQLite returns a boolean as 0 or 1. */
  readonly ownsTarget: boolean | number;
};

type StoredTarget = Omit<TargetColumns, 'rules' | 'ownsTarget'>;

/**
 * Returns the statement that finds the caller by a condition. The statement's parameters are the caller, twice; the
 * parameters of the columns; the parameters of the join; and the caller again. The groups are read once, and only for a
 * profile that may have any. SQLite executes a `cross join` in the order written: from the caller's few groups to their
 * tiers and grants.
 */
const buildStatement = (condition: string, columnList: string, join: string): string =>
  `with mine as materialized (select g.group_id, (select r.tier from access_groups r where r.id = g.group_id) as tier
    from (select m.group_id from profiles p join group_members m on m.profile_id = p.id where ${condition}
      union all select (select r.id from access_groups r where r.name = k.name) from profiles p
        join claimed_groups k on k.profile_id = p.id where ${condition}) g)
  select ${columnList} from profiles p cross join epochs e
    ${limitTables} ${join}
  where ${condition} and e.id = 1`;

/**
 * Returns the statement that also reads the target. The parameters of the columns are the instant, six times; the
 * parameter of the join is the target.
 */
const buildTargetStatement = (condition: string, names: readonly string[]): string =>
  buildStatement(
    condition,
    `${callerColumns}, ${buildColumns('c', names, 'target_')}, ${liveRules} as rules, ${ownsTarget} as "ownsTarget"`,
    'left join collections c on c.id = ?',
  );

const fromOwnGrant = `from grants g where g.profile_id = p.id and g.collection_id = c.id and ${isLive('g')}`;
const fromGroupGrants = `from mine cross join group_grants g
  where g.group_id = mine.group_id and g.collection_id = c.id and ${isLive('g')}`;

/**
 * The rules of the caller's live grants for the target, for `rulesOf`. Most grants have no rule: rules are joined only
 * if no grant without one exists. The parameter is the instant, four times.
 */
const liveRules = `case when exists (select 1 ${fromOwnGrant} and g.rule is null)
    or (p.in_groups and exists (select 1 ${fromGroupGrants} and g.rule is null)) then ''
  else (select ${joinedRules} from (select g.rule ${fromOwnGrant}
    union all select g.rule ${fromGroupGrants} and p.in_groups) live) end`;

/** Whether the caller is a member of the group that owns the target. Most collections have no owner. */
const ownsTarget = `case when c.owner_group is not null and p.in_groups
  then exists (select 1 from mine where mine.group_id = c.owner_group) else false end`;

/**
 * The first expiry of a grant after an instant, which is the parameter: `ownUntil` for the caller's own grants, and
 * `groupsUntil` for the grants of the caller's groups.
 */
const ownUntil = `(select g.expires_at from grants g where g.profile_id = p.id and g.expires_at > ?
  order by g.expires_at limit 1)`;
const groupsUntil = `case when p.in_groups then (select min(g.expires_at) from mine cross join group_grants g
  where g.group_id = mine.group_id and g.expires_at > ?) end`;

/** The most generous active tier of the caller's groups, as one string. */
const groupTier = `case when p.in_groups then (select ${tierAsText}
  from mine cross join tiers a where a.tier = mine.tier and a.is_active = true ${mostGenerousTier}) end`;

const epochColumns = 'e.catalog, e.embeddings, e.operations, e.groups, e.search_model as "searchModel"';
const callerColumns = `${buildColumns('p', [...profileColumns, ...keyColumns, ...claimColumns, 'grantsEpoch'])},
  ${epochColumns},
  ${ownUntil} as "ownUntil", ${groupsUntil} as "groupsUntil", ${groupTier} as "groupTier",
  ${limitColumns}`;

const accountCallerColumns = `${buildColumns('s', accountStateColumns)}, ${epochColumns}`;
const accountTables = 'from service_accounts s cross join epochs e';
const whereAccount = 'where s.id = ? and e.id = 1';

const callerOf = <Content extends CollectionHead>(
  row: CallerColumns,
  target: Content | null,
  rules: readonly OperationRule[],
  ownsTarget: boolean,
  readAt: Instant,
): CallerRow<Content> => ({
  profile: profileOf(row),
  key: keyOf(row),
  claims: claimsOf(row),
  limits: limitsOf(row),
  epochs: epochsOf(row, row.grantsEpoch),
  target,
  hasGrant: rules.length > 0,
  rules,
  ownsTarget,
  accessUntil: earlierOf(row.ownUntil, row.groupsUntil),
  readAt,
});

const accountRowOf = <Content extends CollectionHead>(
  row: AccountCallerColumns,
  target: Content | null,
): AccountRow<Content> => ({ ...accountStateOf(row), epochs: epochsOf(row, 0), target });

const epochsOf = ({ groups, catalog, embeddings, operations, searchModel }: EpochColumns, grants: number): Epochs => ({
  grants,
  groups,
  catalog,
  embeddings,
  operations,
  searchModel,
});

const earlierOf = (a: Instant | null, b: Instant | null): Instant | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/**
 * Returns a function that converts a row to its target, or to null if the row has none. `toPart` reads the unprefixed
 * columns through getters: copying them to a separate object takes three times as long.
 */
const createTargetMapper = <Content>(
  names: readonly (keyof CollectionColumns)[],
  toPart: (row: CollectionColumns) => Content,
): ((row: StoredTarget) => Content | null) => {
  class TargetRow {
    readonly row: StoredTarget;
    constructor(row: StoredTarget) {
      this.row = row;
    }
  }
  for (const name of names) {
    const column = `target_${name}` as const;
    Object.defineProperty(TargetRow.prototype, name, {
      get(this: TargetRow) {
        return this.row[column];
      },
    });
  }
  return (row) => (row.target_id === null ? null : toPart(new TargetRow(row) as unknown as CollectionColumns));
};
