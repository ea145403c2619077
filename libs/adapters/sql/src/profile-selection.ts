import { toEmailKey, foldCase, matchesProfileText } from '@portico/domain';
import type { Profile, ProfileFilter, ProfilePage } from '@portico/domain';
import { profileColumns, type ProfileColumns, profileOf } from './profile-record.ts';
import type { Sql, SqlDatabase, Value } from './sql.ts';
import { buildColumns } from './table.ts';

type Condition = readonly [sql: string, ...parameters: readonly Value[]];

/** The minimum number of candidates that a text search reads in a batch. */
const candidateBatchMin = 500;

/**
 * Selects profiles. The databases fold only ASCII letters, so a search by text returns candidates: names that contain
 * the text, and all names with other letters. This function checks whether the candidates contain the text.
 */
export const selectProfiles = async (
  database: SqlDatabase,
  filter: ProfileFilter,
  { order, limit, after }: ProfilePage,
): Promise<readonly Profile[]> => {
  const conditions = conditionsOf(filter, database);
  const size = limit === null || filter.text === null ? limit : Math.max(limit, candidateBatchMin);
  const matches: Profile[] = [];
  for (let position = after; ;) {
    const candidates = await readProfiles(database.reads, conditions, order, position, size);
    matches.push(...(filter.text === null ? candidates : candidates.filter(matchesText(filter.text))));
    const lastCandidate = candidates.at(-1);
    if (limit === null || !lastCandidate || matches.length >= limit || candidates.length < (size ?? 0)) break;
    position = lastCandidate;
  }
  return limit === null ? matches : matches.slice(0, limit);
};

export const countProfiles = async (database: SqlDatabase, filter: ProfileFilter): Promise<number> => {
  const sql = database.reads;
  const conditions = conditionsOf(filter, database);
  const [where, parameters] = [whereOf(conditions), parametersOf(conditions)];
  if (filter.text === null)
    return (await sql.first<{ total: number }>(`select count(*) as total ${where}`, parameters))?.total ?? 0;
  const names = `select p.email, p.full_name as "fullName" ${where}`;
  const candidates = await sql.all<Pick<Profile, 'email' | 'fullName'>>(names, parameters);
  return candidates.filter(matchesText(filter.text)).length;
};

const readProfiles = async (
  sql: Sql,
  conditions: readonly Condition[],
  order: ProfilePage['order'],
  after: ProfilePage['after'],
  limit: number | null,
): Promise<readonly Profile[]> => {
  const [comparison, direction] = order === 'oldest' ? ['>', ''] : ['<', ' desc'];
  const positionConditions: readonly Condition[] = after
    ? [[`(p.created_at, p.id) ${comparison} (?, ?)`, after.createdAt, after.id]]
    : [];
  const allConditions = [...conditions, ...positionConditions];
  const text = `select ${buildColumns('p', profileColumns)} ${whereOf(allConditions)}
    order by p.created_at${direction}, p.id${direction}${limit === null ? '' : ' limit ?'}`;
  const rows = await sql.all<ProfileColumns>(text, [
    ...parametersOf(allConditions),
    ...(limit === null ? [] : [limit]),
  ]);
  return rows.map(profileOf);
};

const whereOf = (conditions: readonly Condition[]): string =>
  `from profiles p where true${conditions.map(([text]) => ` and ${text}`).join('')}`;

const parametersOf = (conditions: readonly Condition[]): readonly Value[] =>
  conditions.flatMap(([, ...parameters]) => parameters);

const conditionsOf = (
  { role, status, suspended, text }: ProfileFilter,
  database: Pick<SqlDatabase, 'disableIndex'>,
): readonly Condition[] => [
  // Without the role's index, the list is read in its own order: most profiles are clients.
  ...(role === null ? [] : [[database.disableIndex('p.role = ?'), role] as const]),
  ...(status === null ? [] : [['p.status = ?', status] as const]),
  ...(suspended === null ? [] : [[`p.suspended_at is ${suspended ? 'not ' : ''}null`] as const]),
  ...(text === null ? [] : [candidatesOf(text)]),
];

const candidatesOf = (text: string): Condition => {
  const pattern = `%${foldCase(text).replace(/[!%_]/g, '!$&')}%`;
  const nameConditions = ['email', 'full_name'].map(
    (column) => `lower(p.${column}) like ? escape '!' or octet_length(p.${column}) > length(p.${column})`,
  );
  return [`(${nameConditions.join(' or ')} or p.email_key = ?)`, pattern, pattern, toEmailKey(text)];
};

const matchesText =
  (text: string) =>
  (profile: Pick<Profile, 'email' | 'fullName'>): boolean =>
    matchesProfileText(text, profile);
