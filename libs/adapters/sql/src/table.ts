import type { InferEntity } from '@mikro-orm/core';
import type { Sql, Value } from './sql.ts';

/** What statements need of an entity: its table and the names of its columns. */
interface Entity {
  readonly meta: { readonly tableName?: string };
  readonly properties: object;
}

/** A row as it is read and written: absent values are null, and no column is left out. */
export type Row<E> = { readonly [Name in keyof InferEntity<E> & string]-?: Exclude<InferEntity<E>[Name], undefined> };

/** All columns of the entity's table. */
export const columnsOf = <E extends Entity>(entity: E): readonly (keyof Row<E>)[] =>
  Object.keys(entity.properties) as (keyof Row<E>)[];

export const without = <Name extends string, Left extends Name>(
  names: readonly Name[],
  ...left: readonly Left[]
): readonly Exclude<Name, Left>[] =>
  names.filter((name): name is Exclude<Name, Left> => !(left as readonly Name[]).includes(name));

/** Selects columns of a table alias under their entity names: `p.full_name as "fullName"`. */
export const columns = (alias: string, names: readonly string[], prefix = ''): string =>
  names.map((name) => `${alias}.${inSnakeCase(name)} as "${prefix}${name}"`).join(', ');

/** A statement that writes one row: its text, built once, and the parameters for a row. */
export interface RowStatement<Written> {
  readonly text: string;
  readonly parameters: (row: Written) => Value[];
}

export const insertInto = <E extends Entity, Name extends keyof Row<E>>(
  entity: E,
  names: readonly Name[],
): RowStatement<Pick<Row<E>, Name>> =>
  statement(`insert into ${tableOf(entity)} (${list(names)}) values (${names.map(() => '?').join(', ')})`, names);

/** Inserts a row, or replaces the one with its key. */
export const upsertInto = <E extends Entity>(entity: E, ...key: readonly (keyof Row<E>)[]): RowStatement<Row<E>> => {
  const names = columnsOf(entity);
  const { text, parameters } = insertInto(entity, names);
  const changed = without(names, ...key).map((name) => `${inSnakeCase(name)} = excluded.${inSnakeCase(name)}`);
  return { text: `${text} on conflict (${list(key)}) do update set ${changed.join(', ')}`, parameters };
};

/** Updates these columns of the row with that key. */
export const updateOf = <E extends Entity, Key extends keyof Row<E>, Name extends keyof Row<E>>(
  entity: E,
  key: Key,
  names: readonly Name[],
): RowStatement<Pick<Row<E>, Key | Name>> => {
  const changed = names.map((name) => `${inSnakeCase(name)} = ?`).join(', ');
  return statement(`update ${tableOf(entity)} set ${changed} where ${inSnakeCase(key)} = ?`, [...names, key]);
};

/** Returns the number of rows changed. */
export const write = <Written>(sql: Sql, { text, parameters }: RowStatement<Written>, row: Written): Promise<number> =>
  sql.run(text, parameters(row));

export const writeEach = <Written>(
  sql: Sql,
  { text, parameters }: RowStatement<Written>,
  rows: readonly Written[],
): Promise<void> => sql.runEach(text, rows.map(parameters));

const statement = <Name extends string, Written extends { readonly [Each in Name]: unknown }>(
  text: string,
  names: readonly Name[],
): RowStatement<Written> => ({ text, parameters: (row) => names.map((name) => row[name] as Value) });

const tableOf = ({ meta }: Entity): string => {
  if (!meta.tableName) throw new Error('The entity has no table.');
  return meta.tableName;
};

const list = (names: readonly string[]): string => names.map(inSnakeCase).join(', ');

export const inSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
