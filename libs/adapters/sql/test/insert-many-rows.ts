import { aCollection, aDocumentContent, aProfile, noEffects, start } from '@portico/contracts';
import type { ClientId, CollectionId, ProfileId, StorePorts } from '@portico/domain';
import { insertCollection } from '../src/collection-record.ts';
import { insertProfile } from '../src/profile-record.ts';

/** The number of rows. Each profile is in ten groups, in half of them by claim; the first ten profiles are in none. */
const rowCounts = { profiles: 10_000, groups: 1_000, collections: 5_000, grantsPerProfile: 100 } as const;

/** Functions that return the ids of a profile or collection by its number. */
export const idsOf = {
  profile: (n: number) => ({ id: `p${n}` as ProfileId, clientId: `c${n}` as ClientId, uid: `u${n}` }),
  collection: (n: number): CollectionId => `k${n}` as CollectionId,
} as const;

/**
 * Fills an empty database with a million grants. `run` runs statements without checking foreign keys, which would take
 * most of the time.
 */
export const insertManyRows = async (
  { profiles, collections }: StorePorts,
  run: (statements: string) => Promise<void> | void,
): Promise<void> => {
  const [profile, collection] = [aProfile(), aCollection()];
  await profiles.add(profile, noEffects);
  await collections.add(collection, aDocumentContent(), noEffects);
  const statements = [
    insertCopies(insertProfile.text, 'profiles', rowCounts.profiles, {
      id: `'p' || n`,
      email: `'e' || n`,
      email_key: `'e' || n`,
      uid: `'u' || n`,
      client_id: `'c' || n`,
      in_groups: 'n > 10',
    }),
    insertCopies(insertCollection.text, 'collections', rowCounts.collections, {
      id: `'k' || n`,
      name_key: `'road ' || n`,
    }),
    `insert into tiers (tier, description, is_active, allowed, window_seconds, created_at, updated_at)
      ${buildNumbersUpTo(4)} select 'tier ' || n, null, n < 4, n * 100, 60, ${start}, ${start} from numbers`,
    `insert into access_groups (id, name, description, tier, created_at, updated_at)
      ${buildNumbersUpTo(rowCounts.groups)} select 'g' || n, 'group ' || n, '', case when n % 3 = 0 then 'tier ' || (1 + n % 4) end,
        ${start}, ${start} from numbers`,
    `insert into group_members (profile_id, group_id, added_at)
      ${buildNumbersUpTo(rowCounts.profiles)} select 'p' || n, 'g' || (1 + (n * 7 + of_each.k * 100) % ${rowCounts.groups}), ${start}
        from numbers cross join (${selectNumbersUpTo(5)}) of_each where n > 10`,
    `insert into claimed_groups (profile_id, name)
      ${buildNumbersUpTo(rowCounts.profiles)} select 'p' || n, 'group ' || (1 + (n * 7 + of_each.k * 100 + 500) % ${rowCounts.groups})
        from numbers cross join (${selectNumbersUpTo(5)}) of_each where n > 10`,
    `insert into grants (profile_id, collection_id, granted_at, expires_at)
      ${buildNumbersUpTo(rowCounts.profiles)} select 'p' || n, 'k' || (1 + (n * 13 + of_each.k * 50) % ${rowCounts.collections}), ${start},
        ${buildEveryTenthExpiry('of_each.k')} from numbers cross join (${selectNumbersUpTo(rowCounts.grantsPerProfile)}) of_each`,
    `insert into group_grants (group_id, collection_id, granted_at, expires_at)
      ${buildNumbersUpTo(rowCounts.groups)} select 'g' || n, 'k' || (1 + (n * 17 + of_each.k * 250) % ${rowCounts.collections}), ${start},
        ${buildEveryTenthExpiry('of_each.k')} from numbers cross join (${selectNumbersUpTo(20)}) of_each`,
  ];
  await run(statements.join(';\n'));
};

/** Returns an insert of copies of a table's only row, with these columns computed from the copy's number. */
const insertCopies = (
  insert: string,
  table: string,
  count: number,
  computedColumns: Readonly<Record<string, string>>,
): string => {
  const columns = /\(([^)]*)\)/.exec(insert)?.[1]?.split(', ') ?? [];
  const names = [...new Set([...columns, ...Object.keys(computedColumns)])];
  const values = names.map((name) => computedColumns[name] ?? `t.${name}`);
  return `insert into ${table} (${names.join(', ')}) ${buildNumbersUpTo(count)} select ${values.join(', ')}
    from numbers cross join (select * from ${table} limit 1) t`;
};

const buildNumbersUpTo = (count: number): string =>
  `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`;

const selectNumbersUpTo = (count: number): string =>
  `with recursive counted(k) as (select 1 union all select k + 1 from counted where k < ${count}) select k from counted`;

/** Returns an expiry for every tenth grant, as SQL. */
const buildEveryTenthExpiry = (k: string): string => `case when ${k} % 10 = 0 then ${start + 86_400_000} + ${k} end`;
