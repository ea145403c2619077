import type { InferEntity } from '@mikro-orm/core';
import type { Sql, Value } from './sql.ts';

/** The parts of an entity that statements need: its table and the names of its columns. */
interface Entity {
  readonly meta: { readonly tableName?: string };
  readonly properties: object;
}

/** A row as it is read and written: absent values are null, and no column is omitted. */
export type Row<E> = { readonly [Name in keyof InferEntity<E> & string]-?: Exclude<InferEntity<E>[Name], undefined> };

/** All columns of the entity's table. */
export const columnsOf = <E extends Entity>(entity: E): readonly (keyof Row<E>)[] =>
  Object.keys(entity.properties) as (keyof Row<E>)[];

export const omitNames = <Name extends string, Excluded extends Name>(
  names: readonly Name[],
  ...excluded: readonly Excluded[]
): readonly Exclude<Name, Excluded>[] =>
  names.filter((name): name is Exclude<Name, Excluded> => !(excluded as readonly Name[]).includes(name));

/** Returns SQL that selects columns of a table alias under their entity names: `p.full_name as "fullName"`. */
export const buildColumns = (alias: string, names: readonly string[], prefix = ''): string =>
  names.map((name) => `${alias}.${toSnakeCase(name)} as "${prefix}${name}"`).join(', ');

/** A statement that writes one row: its text, built once, and the parameters for a row. */
export interface RowStatement<Content> {
  readonly text: string;
  readonly toParameters: (row: Content) => Value[];
}

export const insertInto = <E extends Entity, Name extends keyof Row<E>>(
  entity: E,
  names: readonly Name[],
): RowStatement<Pick<Row<E>, Name>> =>
  createStatement(
    `insert into ${tableOf(entity)} (${buildColumnList(names)}) values (${names.map(() => '?').join(', ')})`,
    names,
  );

/** Returns a statement that inserts a row, or replaces the row with the same key. */
export const upsertInto = <E extends Entity>(entity: E, ...key: readonly (keyof Row<E>)[]): RowStatement<Row<E>> => {
  const names = columnsOf(entity);
  const { text, toParameters } = insertInto(entity, names);
  const assignments = omitNames(names, ...key).map((name) => `${toSnakeCase(name)} = excluded.${toSnakeCase(name)}`);
  return {
    text: `${text} on conflict (${buildColumnList(key)}) do update set ${assignments.join(', ')}`,
    toParameters,
  };
};

/** Returns a statement that updates these columns of the row with the key. */
export const updateOf = <E extends Entity, Key extends keyof Row<E>, Name extends keyof Row<E>>(
  entity: E,
  key: Key,
  names: readonly Name[],
): RowStatement<Pick<Row<E>, Key | Name>> => {
  const assignments = names.map((name) => `${toSnakeCase(name)} = ?`).join(', ');
  return createStatement(`update ${tableOf(entity)} set ${assignments} where ${toSnakeCase(key)} = ?`, [...names, key]);
};

/** Writes a row and returns the number of rows changed. */
export const write = <Content>(
  sql: Sql,
  { text, toParameters }: RowStatement<Content>,
  row: Content,
): Promise<number> => sql.run(text, toParameters(row));

export const writeEach = <Content>(
  sql: Sql,
  { text, toParameters }: RowStatement<Content>,
  rows: readonly Content[],
): Promise<void> => sql.runEach(text, rows.map(toParameters));

const createStatement = <Name extends string, Content extends { readonly [Column in Name]: unknown }>(
  text: string,
  names: readonly Name[],
): RowStatement<Content> => ({ text, toParameters: (row) => names.map((name) => row[name] as Value) });

const tableOf = ({ meta }: Entity): string => {
  if (!meta.tableName) throw new Error('The entity has no table.');
  return meta.tableName;
};

const buildColumnList = (names: readonly string[]): string => names.map(toSnakeCase).join(', ');

export const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
