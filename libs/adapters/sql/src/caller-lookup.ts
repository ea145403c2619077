import type {
  CallerLookup,
  CallerRow,
  CollectionHead,
  Instant,
  Target,
  TargetPart,
  TargetParts,
} from '@portico/domain';
import { collectionColumns, type CollectionColumns, collectionOf, headColumns, headOf } from './collection-record.ts';
import { isLive } from './memberships.ts';
import { claimColumns, claimsOf, keyColumns, keyOf, profileColumns, profileOf } from './profile-record.ts';
import type { ClaimColumns, KeyColumns, ProfileColumns } from './profile-record.ts';
import type { PreparedReads } from './sql.ts';
import { columns } from './table.ts';

/** The hot read: one prepared statement, which sees committed data. */
export const createSqlCallerLookup = (reads: PreparedReads): CallerLookup => {
  const readBy = (condition: string) => {
    const alone = reads.wide<CallerColumns>(statementBy(condition, callerColumns, ''));
    const prepare = <Part extends TargetPart>(
      names: readonly (keyof CollectionColumns)[],
      toPart: (row: CollectionColumns) => TargetParts[Part],
    ) => {
      const withTarget = reads.wide<CallerColumns & TargetColumns>(textWithTarget(condition, names));
      const aliases = names.map((name) => [name, `target_${name}`] as const);
      return async (
        value: string,
        { id }: Target<Part>,
        now: Instant,
      ): Promise<CallerRow<TargetParts[Part]> | null> => {
        const row = await withTarget(value, value, now, now, now, now, id, value);
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
      const row = await alone(value, value, now, now, value);
      return row ? callerOf<TargetParts[Part]>(row, null, false, now) : null;
    };
  };
  const byClientId = readBy('p.client_id = ?');
  const byProfileId = readBy('p.id = ?');

  return {
    byUid: readBy('p.uid = ?'),
    byClientId,
    byEitherId: async (id, now) => (await byClientId(id, null, now)) ?? byProfileId(id, null, now),
  };
};

interface CallerColumns extends ProfileColumns, KeyColumns, ClaimColumns {
  readonly grantsEpoch: number;
  readonly groups: number;
  readonly ownUntil: Instant | null;
  readonly groupsUntil: Instant | null;
  readonly catalog: number;
  readonly embeddings: number;
  readonly operations: number;
  readonly searchModel: string | null;
  readonly overrideId: number | null;
  readonly overrideAllowed: number;
  readonly overrideSeconds: number;
  readonly tierName: string | null;
  readonly tierAllowed: number;
  readonly tierSeconds: number;
  /** Its name, requests and seconds, between spaces. */
  readonly groupTier: string | null;
}

/** Only the columns of the requested part; all are null if there is no such collection. */
type TargetColumns = { readonly [Name in keyof CollectionColumns as `target_${Name}`]: CollectionColumns[Name] } & {
  readonly granted: 0 | 1;
};

/**
 * The statement that finds the caller by a condition. Its parameters are the caller, twice, those of the columns, those
 * of the join, and the caller. The groups are read once, and only for a profile that may have any. SQLite joins in the
 * order of a `cross join`: from the caller's few groups to what they have.
 */
const statementBy = (condition: string, selected: string, join: string): string =>
  `with mine as materialized (select g.group_id, (select r.tier from access_groups r where r.id = g.group_id) as tier
    from (select m.group_id from profiles p join group_members m on m.profile_id = p.id where ${condition}
      union all select (select r.id from access_groups r where r.name = k.name) from profiles p
        join claimed_groups k on k.profile_id = p.id where ${condition}) g)
  select ${selected} from profiles p cross join epochs e
    left join overrides o on o.profile_id = p.id and o.is_active = true
    left join tiers t on t.tier = p.tier and t.is_active = true ${join}
  where ${condition} and e.id = 1`;

/** The parameters of its columns are the moment, four times, and that of its join is the target. */
const textWithTarget = (condition: string, names: readonly string[]): string =>
  statementBy(
    condition,
    `${callerColumns}, ${columns('c', names, 'target_')}, case when ${hasOwnGrant} or ${hasGroupGrant} then 1 else 0 end as granted`,
    'left join collections c on c.id = ?',
  );

const hasOwnGrant = `exists (select 1 from grants g
  where g.profile_id = p.id and g.collection_id = c.id and ${isLive('g')})`;
const hasGroupGrant = `(p.in_groups and exists (select 1 from mine cross join group_grants g
  where g.group_id = mine.group_id and g.collection_id = c.id and ${isLive('g')}))`;

/** When the first grant expires after a moment, which is its parameter: of the caller, and of its groups. */
const ownUntil = `(select g.expires_at from grants g where g.profile_id = p.id and g.expires_at > ?
  order by g.expires_at limit 1)`;
const groupsUntil = `case when p.in_groups then (select min(g.expires_at) from mine cross join group_grants g
  where g.group_id = mine.group_id and g.expires_at > ?) end`;

/** The most generous active tier of the caller's groups, as one text. */
const groupTier = `case when p.in_groups then (select a.tier || ' ' || a.allowed || ' ' || a.window_seconds
  from mine cross join tiers a where a.tier = mine.tier and a.is_active = true
  order by a.allowed * 1.0 / a.window_seconds desc, a.tier limit 1) end`;

const callerColumns = `${columns('p', [...profileColumns, ...keyColumns, ...claimColumns, 'grantsEpoch'])},
  e.catalog, e.embeddings, e.operations, e.groups, e.search_model as "searchModel",
  ${ownUntil} as "ownUntil", ${groupsUntil} as "groupsUntil", ${groupTier} as "groupTier",
  o.id as "overrideId", o.allowed as "overrideAllowed", o.window_seconds as "overrideSeconds",
  t.tier as "tierName", t.allowed as "tierAllowed", t.window_seconds as "tierSeconds"`;

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
    groupTier: tierOf(row.groupTier),
  },
  epochs: {
    grants: row.grantsEpoch,
    groups: row.groups,
    catalog: row.catalog,
    embeddings: row.embeddings,
    operations: row.operations,
    searchModel: row.searchModel,
  },
  target,
  granted,
  accessUntil: earlier(row.ownUntil, row.groupsUntil),
  readAt,
});

const earlier = (one: Instant | null, other: Instant | null): Instant | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** No name of a tier holds a space. */
const tierOf = (text: string | null): CallerRow['limits']['groupTier'] => {
  if (text === null) return null;
  const [tier = '', allowed, windowSeconds] = text.split(' ');
  return { tier, allowed: Number(allowed), windowSeconds: Number(windowSeconds) };
};

const targetOf = <Found>(
  row: TargetColumns,
  aliases: readonly (readonly [name: keyof CollectionColumns, alias: keyof TargetColumns])[],
  toPart: (row: CollectionColumns) => Found,
): Found | null => {
  if (row.target_id === null) return null;
  const found: Partial<Record<keyof CollectionColumns, unknown>> = {};
  for (const [name, alias] of aliases) found[name] = row[alias];
  return toPart(found as CollectionColumns);
};
