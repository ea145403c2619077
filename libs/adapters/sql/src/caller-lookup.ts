import type {
  AccountRow,
  CallerLookup,
  CallerRow,
  CollectionHead,
  Epochs,
  Instant,
  ServiceAccountId,
  Target,
  TargetPart,
  TargetParts,
} from '@portico/domain';
import { collectionColumns, type CollectionColumns, collectionOf, headColumns, headOf } from './collection-record.ts';
import { groupsOf, isLive } from './memberships.ts';
import { claimColumns, claimsOf, keyColumns, keyOf, profileColumns, profileOf } from './profile-record.ts';
import type { ClaimColumns, KeyColumns, ProfileColumns } from './profile-record.ts';
import { accountStateColumns, type AccountStateColumns, accountStateOf } from './service-account-record.ts';
import type { PreparedReads } from './sql.ts';
import { columns } from './table.ts';

/** The hot read: one prepared statement, which sees committed data. */
export const createSqlCallerLookup = (reads: PreparedReads): CallerLookup => {
  const readBy = (condition: string) => {
    const alone = reads.wide<CallerColumns>(`select ${callerColumns} ${callerTables} where ${condition} and e.id = 1`);
    const prepare = <Part extends TargetPart>(
      names: readonly (keyof CollectionColumns)[],
      toPart: (row: CollectionColumns) => TargetParts[Part],
    ) => {
      const withTarget = reads.wide<CallerColumns & TargetColumns>(textWithTarget(condition, names));
      const aliases = aliasesOf(names);
      return async (
        value: string,
        { id }: Target<Part>,
        now: Instant,
      ): Promise<CallerRow<TargetParts[Part]> | null> => {
        const row = await withTarget(now, now, now, now, id, value);
        return row ? callerOf(row, targetOf(row, aliases, toPart), row.granted === 1, now) : null;
      };
    };
    const withTarget: { readonly [Part in TargetPart]: ReturnType<typeof prepare<Part>> } = {
      head: prepare<'head'>(headColumns, headOf),
      whole: prepare<'whole'>(collectionColumns, collectionOf),
    };

    return async <Part extends TargetPart = 'head'>(
      value: string,
      target: Target<Part> | null,
      now: Instant,
    ): Promise<CallerRow<TargetParts[Part]> | null> => {
      if (target) return withTarget[target.part](value, target, now);
      const row = await alone(now, now, value);
      return row ? callerOf<TargetParts[Part]>(row, null, false, now) : null;
    };
  };
  const byClientId = readBy('p.client_id = ?');
  const byProfileId = readBy('p.id = ?');

  return {
    byUid: readBy('p.uid = ?'),
    byClientId,
    byEitherId: async (id, now) => (await byClientId(id, null, now)) ?? byProfileId(id, null, now),
    byAccountId: readAccounts(reads),
  };
};

const readAccounts = (reads: PreparedReads): CallerLookup['byAccountId'] => {
  const alone = reads.wide<AccountCallerColumns>(`select ${accountCallerColumns} ${accountTables} ${oneAccount}`);
  const prepare = <Part extends TargetPart>(
    names: readonly (keyof CollectionColumns)[],
    toPart: (row: CollectionColumns) => TargetParts[Part],
  ) => {
    const withTarget = reads.wide<AccountCallerColumns & Omit<TargetColumns, 'granted'>>(
      `select ${accountCallerColumns}, ${columns('c', names, 'target_')}
        ${accountTables} left join collections c on c.id = ? ${oneAccount}`,
    );
    const aliases = aliasesOf(names);
    return async (id: string, target: Target<Part>): Promise<AccountRow<TargetParts[Part]> | null> => {
      const row = await withTarget(target.id, id);
      return row ? accountRowOf(row, targetOf(row, aliases, toPart)) : null;
    };
  };
  const withTarget: { readonly [Part in TargetPart]: ReturnType<typeof prepare<Part>> } = {
    head: prepare<'head'>(headColumns, headOf),
    whole: prepare<'whole'>(collectionColumns, collectionOf),
  };

  return async <Part extends TargetPart = 'head'>(id: ServiceAccountId, target: Target<Part> | null) => {
    if (target) return withTarget[target.part](id, target);
    const row = await alone(id);
    return row ? accountRowOf<TargetParts[Part]>(row, null) : null;
  };
};

interface EpochColumns {
  readonly groups: number;
  readonly catalog: number;
  readonly embeddings: number;
  readonly operations: number;
  readonly searchModel: string | null;
}

interface CallerColumns extends ProfileColumns, KeyColumns, ClaimColumns, EpochColumns {
  readonly grantsEpoch: number;
  readonly accessUntil: Instant | null;
  readonly overrideId: number | null;
  readonly overrideAllowed: number;
  readonly overrideSeconds: number;
  readonly tierName: string | null;
  readonly tierAllowed: number;
  readonly tierSeconds: number;
  readonly groupTierName: string | null;
  readonly groupTierAllowed: number;
  readonly groupTierSeconds: number;
}

type AccountCallerColumns = AccountStateColumns & EpochColumns;

/** Only the columns of the requested part; all are null if there is no such collection. */
type TargetColumns = { readonly [Name in keyof CollectionColumns as `target_${Name}`]: CollectionColumns[Name] } & {
  readonly granted: 0 | 1;
};

/** Its parameters are the moment, four times, the target and the caller. */
const textWithTarget = (condition: string, names: readonly string[]): string =>
  `select ${callerColumns}, ${columns('c', names, 'target_')}, case when ${hasOwnGrant} or ${hasGroupGrant} then 1 else 0 end as granted
    ${callerTables} left join collections c on c.id = ?
    where ${condition} and e.id = 1`;

const hasOwnGrant = `exists (select 1 from grants g
  where g.profile_id = p.id and g.collection_id = c.id and ${isLive('g')})`;
const hasGroupGrant = `exists (select 1 from (${groupsOf('p.id')}) m
  join group_grants g on g.group_id = m.group_id and g.collection_id = c.id where ${isLive('g')})`;

/** When the first grant of the caller expires after a moment, which is its parameter, twice. */
const accessUntil = `(select min(x.expires_at) from (
  select g.expires_at from grants g where g.profile_id = p.id and g.expires_at > ?
  union all select g.expires_at from (${groupsOf('p.id')}) m join group_grants g on g.group_id = m.group_id
    where g.expires_at > ?) x)`;

/** The most generous active tier of the caller's groups. */
const groupTier = `(select a.tier from (${groupsOf('p.id')}) m join access_groups r on r.id = m.group_id
  join tiers a on a.tier = r.tier and a.is_active = true
  order by a.allowed * 1.0 / a.window_seconds desc, a.tier limit 1)`;

const epochColumns = 'e.catalog, e.embeddings, e.operations, e.groups, e.search_model as "searchModel"';
const callerColumns = `${columns('p', [...profileColumns, ...keyColumns, ...claimColumns, 'grantsEpoch'])},
  ${epochColumns}, ${accessUntil} as "accessUntil",
  o.id as "overrideId", o.allowed as "overrideAllowed", o.window_seconds as "overrideSeconds",
  t.tier as "tierName", t.allowed as "tierAllowed", t.window_seconds as "tierSeconds",
  u.tier as "groupTierName", u.allowed as "groupTierAllowed", u.window_seconds as "groupTierSeconds"`;
const callerTables = `from profiles p cross join epochs e
  left join overrides o on o.profile_id = p.id and o.is_active = true
  left join tiers t on t.tier = p.tier and t.is_active = true
  left join tiers u on u.tier = ${groupTier}`;

const accountCallerColumns = `${columns('s', accountStateColumns)}, ${epochColumns}`;
const accountTables = 'from service_accounts s cross join epochs e';
const oneAccount = 'where s.id = ? and e.id = 1';

const callerOf = <Found extends CollectionHead>(
  row: CallerColumns,
  target: Found | null,
  granted: boolean,
  readAt: Instant,
): CallerRow<Found> => ({
  profile: profileOf(row),
  key: keyOf(row),
  claims: claimsOf(row),
  limits: {
    override:
      row.overrideId === null
        ? null
        : { id: row.overrideId, allowed: row.overrideAllowed, windowSeconds: row.overrideSeconds },
    tier:
      row.tierName === null ? null : { tier: row.tierName, allowed: row.tierAllowed, windowSeconds: row.tierSeconds },
    groupTier:
      row.groupTierName === null
        ? null
        : { tier: row.groupTierName, allowed: row.groupTierAllowed, windowSeconds: row.groupTierSeconds },
  },
  epochs: epochsOf(row, row.grantsEpoch),
  target,
  granted,
  accessUntil: row.accessUntil,
  readAt,
});

const accountRowOf = <Found extends CollectionHead>(
  row: AccountCallerColumns,
  target: Found | null,
): AccountRow<Found> => ({ ...accountStateOf(row), epochs: epochsOf(row, 0), target });

const epochsOf = ({ groups, catalog, embeddings, operations, searchModel }: EpochColumns, grants: number): Epochs => ({
  grants,
  groups,
  catalog,
  embeddings,
  operations,
  searchModel,
});

const aliasesOf = (names: readonly (keyof CollectionColumns)[]) =>
  names.map((name) => [name, `target_${name}`] as const);

const targetOf = <Found>(
  row: Omit<TargetColumns, 'granted'>,
  aliases: readonly (readonly [name: keyof CollectionColumns, alias: Exclude<keyof TargetColumns, 'granted'>])[],
  toPart: (row: CollectionColumns) => Found,
): Found | null => {
  if (row.target_id === null) return null;
  const found: Partial<Record<keyof CollectionColumns, unknown>> = {};
  for (const [name, alias] of aliases) found[name] = row[alias];
  return toPart(found as CollectionColumns);
};
