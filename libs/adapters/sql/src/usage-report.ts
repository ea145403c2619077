import type {
  CollectionId,
  OperationKey,
  ProfileId,
  UsageCounts,
  UsageFilter,
  UsageGrouping,
  UsageKind,
  UsageLine,
  UsageOrder,
  UsageStore,
  UsageSubject,
} from '@portico/domain';
import { noUses, operationUsageKinds, usageKinds } from '@portico/domain';
import type { SqlDatabase, Value } from './sql.ts';

/** The columns of `usage_days` and `operation_usage_days` that contain counts. */
export const countColumns = {
  read: 'reads',
  search: 'searches',
  slice: 'slices',
  call: 'calls',
  credential_read: 'credential_reads',
  refused: 'refused',
} as const satisfies Record<UsageKind, string>;

export const createUsageReport =
  (database: SqlDatabase): UsageStore['report'] =>
  async (grouping, filter, limit, order) => {
    const { kinds, toSubject } = groupings[grouping];
    const { text, parameters } = reportOf(grouping, filter, order);
    const rows = await database.reads.all<ReportRow>(text, [...parameters, limit]);
    return rows.map((row): UsageLine => ({
      subject: toSubject(row),
      counts: { ...noUses, ...Object.fromEntries(kinds.map((kind) => [kind, row[kind]])) },
    }));
  };

interface ReportRow extends UsageCounts {
  readonly day: number;
  readonly collectionId: CollectionId;
  readonly collectionName: string;
  readonly profileId: ProfileId;
  readonly profileEmail: string;
  readonly operationKey: OperationKey;
  readonly method: string | null;
  readonly path: string | null;
}

interface Grouping {
  /** The table with the counts, and the kinds that it contains. */
  readonly table: string;
  readonly kinds: readonly UsageKind[];
  /**
   * The columns to group by, the columns of each group with the tables that contain them, and the order of the groups.
   */
  readonly key: readonly string[];
  readonly columns: string;
  readonly join: string;
  readonly order: string;
  readonly toSubject: (row: ReportRow) => UsageSubject;
}

const allUses = { table: 'usage_days', kinds: usageKinds };

const groupings: Readonly<Record<UsageGrouping, Grouping>> = {
  day: {
    ...allUses,
    key: ['day'],
    columns: 'g.day',
    join: '',
    order: 'g.day',
    toSubject: ({ day }) => ({ by: 'day', day }),
  },
  collection: {
    ...allUses,
    key: ['collection_id'],
    columns: 'g.collection_id as "collectionId", c.name as "collectionName"',
    join: 'left join collections c on c.id = g.collection_id',
    order: 'g.collection_id is null, c.name_key, g.collection_id',
    toSubject: ({ collectionId, collectionName }) => ({ by: 'collection', collectionId, collectionName }),
  },
  profile: {
    ...allUses,
    key: ['profile_id'],
    columns: 'g.profile_id as "profileId", p.email as "profileEmail"',
    join: 'join profiles p on p.id = g.profile_id',
    order: 'p.email',
    toSubject: ({ profileId, profileEmail }) => ({ by: 'profile', profileId, profileEmail }),
  },
  operation: {
    table: 'operation_usage_days',
    kinds: operationUsageKinds,
    key: ['collection_id', 'operation_key'],
    columns: `g.operation_key as "operationKey", o.method, o.path,
      g.collection_id as "collectionId", c.name as "collectionName"`,
    join: `join collections c on c.id = g.collection_id
      left join operations o on o.collection_id = c.id and o.key = g.operation_key
        and c.operations_digest = c.document_digest`,
    order: 'c.name_key, g.collection_id, o.position is null, o.position, g.operation_key',
    toSubject: ({ operationKey, method, path, collectionId, collectionName }) => ({
      by: 'operation',
      ...{ operationKey, method, path, collectionId, collectionName },
    }),
  },
};

/** Returns the statement of a report. There are only a few different statements, because none contains data. */
const reportOf = (
  grouping: UsageGrouping,
  { first, end, profileId, collectionId }: UsageFilter,
  sortOrder: UsageOrder = 'subject',
): { readonly text: string; readonly parameters: readonly Value[] } => {
  const { table, kinds, key, columns, join, order } = groupings[grouping];
  const keyColumns = key.map((column) => `u.${column}`).join(', ');
  const conditions: readonly (readonly [condition: string, value: Value])[] = [
    ['u.day >= ?', first],
    ['u.day < ?', end],
    ...(profileId === null ? [] : [['u.profile_id = ?', profileId] as const]),
    ...(collectionId === null ? [] : [['u.collection_id = ?', collectionId] as const]),
  ];
  const sums = kinds.map((kind) => `cast(sum(u.${countColumns[kind]}) as bigint) as "${kind}"`);
  const sum = kinds.map((kind) => `g."${kind}"`).join(' + ');
  // Sums first and looks up names afterwards: there are many more counts than subjects.
  return {
    text: `select ${columns}, ${kinds.map((kind) => `g."${kind}"`).join(', ')} from (
        select ${keyColumns}, ${sums.join(', ')} from ${table} u where ${conditions.map(([text]) => text).join(' and ')}
        group by ${keyColumns} having ${kinds.map((kind) => `sum(u.${countColumns[kind]})`).join(' + ')} > 0) g
      ${join} order by ${sortOrder === 'most' ? `${sum} desc, ` : ''}${order} limit ?`,
    parameters: conditions.map(([, value]) => value),
  };
};
