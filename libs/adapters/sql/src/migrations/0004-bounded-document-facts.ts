import type { DialectSql } from './migration.ts';

/**
 * Brings stored document facts within the limits added since: a base URL over 2,048 characters, or not a plain line,
 * becomes `/`; an API key name over 200 characters, or not a plain line, becomes no authentication. Revisions grow,
 * since the entity tags of metadata derive from them, and so does the epoch of the catalog.
 */
const statements = (isPlain: (column: string) => string, now: string): readonly string[] => {
  // In this order: long values are not searched.
  const isKept = (column: string, most: number) =>
    `case when length(${column}) > ${most} then false else ${isPlain(column)} end`;
  const addressGoes = `not (${isKept('base_url', 2_048)})`;
  const nameGoes = `(derived_name is not null and not (${isKept('derived_name', 200)}))`;
  return [
    `update epochs set catalog = case when catalog < ${now} then ${now} else catalog + 1 end
      where exists (select 1 from collections where ${addressGoes} or ${nameGoes})`,
    `update collections set
      revision = revision + 1,
      base_url = case when ${addressGoes} then '/' else base_url end,
      derived_type = case when ${nameGoes} then 'none' else derived_type end,
      derived_in = case when ${nameGoes} then null else derived_in end,
      derived_name = case when ${nameGoes} then null else derived_name end
      where ${addressGoes} or ${nameGoes}`,
  ];
};

/** Control characters except U+0000, which no row has; U+2028 to U+202E are separators and bidirectional controls. */
const unplain = [
  [0x01, 0x1f],
  [0x7f, 0x9f],
  [0x061c, 0x061c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
] as const;

const escaped = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
const unplainClass = `[${unplain.map(([from, to]) => `${escaped(from)}-${escaped(to)}`).join('')}]`;
const unplainGlob = `'*[' || ${unplain.map(([from, to]) => `char(${from}) || '-' || char(${to})`).join(' || ')} || ']*'`;

export const boundedDocumentFacts: DialectSql = {
  sqlite: statements(
    (column) => `${column} not glob ${unplainGlob}`,
    `cast((julianday('now') - 2440587.5) * 86400000 as integer)`,
  ),
  postgresql: statements(
    (column) => `${column} !~ '${unplainClass}'`,
    `cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  ),
};
