import type { CallerReads, CallerRow, CollectionHead, CollectionId, Instant } from '@portico/domain';
import { collectionColumns, collectionOf } from './collection-record.ts';
import type { CollectionColumns } from './collection-record.ts';
import type { LimitReads } from './limit-store.ts';
import { keyColumns, keyOf, profileColumns, profileOf } from './profile-record.ts';
import type { KeyColumns, ProfileColumns } from './profile-record.ts';
import { columns } from './sql.ts';
import type { PreparedReads } from './sql.ts';

/** The hot read: one prepared statement, which sees what is committed. */
export const createSqlCallerReads = (reads: PreparedReads): CallerReads & LimitReads => {
  const readBy = (condition: string) => {
    const texts = textsFor(condition);
    const alone = reads.wide<CallerColumns>(texts.alone);
    const withTarget = reads.wide<CallerColumns & TargetColumns>(texts.withTarget);

    return async (value: string, target: CollectionId | null): Promise<CallerRow | null> => {
      if (target === null) {
        const row = await alone(value);
        return row ? callerOf(row, null, false) : null;
      }
      const row = await withTarget(target, value);
      return row ? callerOf(row, targetOf(row), row.grantedAt !== null) : null;
    };
  };
  const byProfileId = readBy('p.id = ?');

  return {
    byUid: readBy('p.uid = ?'),
    byClientId: readBy('p.client_id = ?'),
    byProfileId: (id) => byProfileId(id, null),
  };
};

interface CallerColumns extends ProfileColumns, KeyColumns {
  readonly grantsEpoch: number;
  readonly catalog: number;
  readonly embeddings: number;
  readonly overrideId: number | null;
  readonly overrideAllowed: number;
  readonly overrideSeconds: number;
  readonly tierName: string | null;
  readonly tierAllowed: number;
  readonly tierSeconds: number;
}

/** All null where there is no such collection. */
type TargetColumns = { readonly [Name in keyof CollectionColumns as `target_${Name}`]: CollectionColumns[Name] } & {
  readonly grantedAt: Instant | null;
};

const textsFor = (condition: string) => ({
  alone: `select ${callerColumns} ${callerTables} where ${condition} and e.id = 1`,
  withTarget: `select ${callerColumns}, ${columns('c', collectionColumns, 'target_')}, ${columns('g', ['grantedAt'])}
    ${callerTables} left join collections c on c.id = ?
    left join grants g on g.profile_id = p.id and g.collection_id = c.id
    where ${condition} and e.id = 1`,
});

const callerColumns = `${columns('p', [...profileColumns, ...keyColumns, 'grantsEpoch'])}, e.catalog, e.embeddings,
  o.id as "overrideId", o.allowed as "overrideAllowed", o.window_seconds as "overrideSeconds",
  t.tier as "tierName", t.allowed as "tierAllowed", t.window_seconds as "tierSeconds"`;
const callerTables = `from profiles p cross join epochs e
  left join overrides o on o.profile_id = p.id and o.is_active = true
  left join tiers t on t.tier = p.tier and t.is_active = true`;

const callerOf = (row: CallerColumns, target: CollectionHead | null, granted: boolean): CallerRow => ({
  profile: profileOf(row),
  key: keyOf(row),
  limits: {
    override:
      row.overrideId === null
        ? null
        : { id: row.overrideId, allowed: row.overrideAllowed, windowSeconds: row.overrideSeconds },
    tier:
      row.tierName === null ? null : { tier: row.tierName, allowed: row.tierAllowed, windowSeconds: row.tierSeconds },
  },
  epochs: { grants: row.grantsEpoch, catalog: row.catalog, embeddings: row.embeddings },
  target,
  granted,
});

const targetOf = (row: TargetColumns): CollectionHead | null =>
  row.target_id === null
    ? null
    : collectionOf({
        id: row.target_id,
        name: row.target_name,
        description: row.target_description,
        createdBy: row.target_createdBy,
        createdAt: row.target_createdAt,
        updatedAt: row.target_updatedAt,
        revision: row.target_revision,
        contentRevision: row.target_contentRevision,
        baseUrl: row.target_baseUrl,
        derivedType: row.target_derivedType,
        derivedName: row.target_derivedName,
        derivedIn: row.target_derivedIn,
        storedType: row.target_storedType,
        storedName: row.target_storedName,
        storedIn: row.target_storedIn,
        storedSealedValue: row.target_storedSealedValue,
        documentDigest: row.target_documentDigest,
        importKey: row.target_importKey,
      });
