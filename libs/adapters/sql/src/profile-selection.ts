import { emailKey, foldedName, isNamed } from '@portico/domain';
import type { Profile, ProfileFilter, ProfilePage } from '@portico/domain';
import { profileColumns, type ProfileColumns, profileOf } from './profile-record.ts';
import type { Sql, SqlDatabase, Value } from './sql.ts';
import { columns } from './table.ts';

type Condition = readonly [sql: string, ...parameters: readonly Value[]];

/** What a search for a text reads at once, at least. */
const candidatesAtOnce = 500;

/**
 * The databases fold ASCII letters alone, so what they find by a text are candidates: names that contain it, and all
 * names with other letters. Whether these contain it is decided here.
 */
export const selectProfiles = async (
  database: SqlDatabase,
  filter: ProfileFilter,
  { order, limit, after }: ProfilePage,
): Promise<readonly Profile[]> => {
  const conditions = conditionsOf(filter, database);
  const size = limit === null || filter.text === null ? limit : Math.max(limit, candidatesAtOnce);
  const found: Profile[] = [];
  for (let place = after; ;) {
    const candidates = await read(database.reads, conditions, order, place, size);
    found.push(...(filter.text === null ? candidates : candidates.filter(isNamedBy(filter.text))));
    const last = candidates.at(-1);
    if (limit === null || !last || found.length >= limit || candidates.length < (size ?? 0)) break;
    place = last;
  }
  return limit === null ? found : found.slice(0, limit);
};

export const countProfiles = async (database: SqlDatabase, filter: ProfileFilter): Promise<number> => {
  const sql = database.reads;
  const conditions = conditionsOf(filter, database);
  const [where, parameters] = [whereOf(conditions), parametersOf(conditions)];
  if (filter.text === null)
    return (await sql.first<{ total: number }>(`select count(*) as total ${where}`, parameters))?.total ?? 0;
  const names = `select p.email, p.full_name as "fullName" ${where}`;
  const candidates = await sql.all<Pick<Profile, 'email' | 'fullName'>>(names, parameters);
  return candidates.filter(isNamedBy(filter.text)).length;
};

const read = async (
  sql: Sql,
  conditions: readonly Condition[],
  order: ProfilePage['order'],
  after: ProfilePage['after'],
  limit: number | null,
): Promise<readonly Profile[]> => {
  const [beyond, direction] = order === 'oldest' ? ['>', ''] : ['<', ' desc'];
  const behind: readonly Condition[] = after
    ? [[`(p.created_at, p.id) ${beyond} (?, ?)`, after.createdAt, after.id]]
    : [];
  const all = [...conditions, ...behind];
  const text = `select ${columns('p', profileColumns)} ${whereOf(all)}
    order by p.created_at${direction}, p.id${direction}${limit === null ? '' : ' limit ?'}`;
  const rows = await sql.all<ProfileColumns>(text, [...parametersOf(all), ...(limit === null ? [] : [limit])]);
  return rows.map(profileOf);
};

const whereOf = (conditions: readonly Condition[]): string =>
  `from profiles p where true${conditions.map(([text]) => ` and ${text}`).join('')}`;

const parametersOf = (conditions: readonly Condition[]): readonly Value[] =>
  conditions.flatMap(([, ...parameters]) => parameters);

const conditionsOf = (
  { role, status, suspended, text }: ProfileFilter,
  database: Pick<SqlDatabase, 'unindexed'>,
): readonly Condition[] => [
  // The list is read in its order; most people are clients.
  ...(role === null ? [] : [[database.unindexed('p.role = ?'), role] as const]),
  ...(status === null ? [] : [['p.status = ?', status] as const]),
  ...(suspended === null ? [] : [[`p.suspended_at is ${suspended ? 'not ' : ''}null`] as const]),
  ...(text === null ? [] : [candidatesOf(text)]),
];

const candidatesOf = (text: string): Condition => {
  const pattern = `%${foldedName(text).replace(/[!%_]/g, '!$&')}%`;
  const named = ['email', 'full_name'].map(
    (column) => `lower(p.${column}) like ? escape '!' or octet_length(p.${column}) > length(p.${column})`,
  );
  return [`(${named.join(' or ')} or p.email_key = ?)`, pattern, pattern, emailKey(text)];
};

const isNamedBy =
  (text: string) =>
  (profile: Pick<Profile, 'email' | 'fullName'>): boolean =>
    isNamed(text, profile);
