import { BlobType, BooleanType, IntegerType } from '@mikro-orm/core';
import { entities } from '../entities.ts';
import { toSnakeCase } from '../table.ts';

/** A table that "portico migrate" moves. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly MovedColumn[];
  /** The columns of the primary key; rows are read in their order. */
  readonly key: readonly string[];
  /** The column whose values the database generates by counting up, or null. */
  readonly identity: string | null;
}

export interface MovedColumn {
  readonly name: string;
  /** `boolean`: the dialects store it differently. `bytes`: may be large. */
  readonly kind: 'boolean' | 'bytes' | 'plain';
}

interface Property {
  readonly type?: unknown;
  readonly primary?: boolean;
  readonly autoincrement?: boolean;
  /** The entity that the column refers to. */
  readonly entity?: () => { readonly meta: { readonly tableName?: string } };
}

interface Entity {
  readonly meta: { readonly tableName?: string; readonly properties: object };
}

type RelatedTable = MovedTable & { readonly refersTo: readonly string[] };

const isOfType = (type: unknown, expected: typeof BlobType | typeof BooleanType | typeof IntegerType): boolean =>
  type === expected || type instanceof expected;

const kindOf = ({ type }: Property): MovedColumn['kind'] => {
  if (isOfType(type, BooleanType)) return 'boolean';
  return isOfType(type, BlobType) ? 'bytes' : 'plain';
};

const isIdentity = ({ type, primary, autoincrement }: Property): boolean =>
  primary === true && autoincrement !== false && isOfType(type, IntegerType);

const tableOf = ({ meta }: Entity): RelatedTable => {
  if (!meta.tableName) throw new Error('The entity has no table.');
  const properties = Object.entries(meta.properties as Readonly<Record<string, Property>>);
  const selectColumns = (predicate: (property: Property) => boolean) =>
    properties.filter(([, property]) => predicate(property)).map(([name]) => toSnakeCase(name));
  return {
    name: meta.tableName,
    columns: properties.map(([name, property]) => ({ name: toSnakeCase(name), kind: kindOf(property) })),
    key: selectColumns(({ primary }) => primary === true),
    identity: selectColumns(isIdentity)[0] ?? null,
    refersTo: properties.flatMap(([, { entity }]) => entity?.().meta.tableName ?? []),
  };
};

/** Sorts each table after the tables that its foreign keys refer to. Throws if there is no such order. */
const sortByReferences = (tables: readonly RelatedTable[]): readonly MovedTable[] => {
  const sortedTables: RelatedTable[] = [];
  for (let remainingTables = tables; remainingTables.length > 0;) {
    const isReady = ({ refersTo }: RelatedTable) =>
      refersTo.every((name) => sortedTables.some((table) => table.name === name));
    const readyTables = remainingTables.filter(isReady);
    if (readyTables.length === 0)
      throw new Error(`The foreign keys of ${remainingTables.map(({ name }) => name).join(', ')} form a cycle`);
    sortedTables.push(...readyTables);
    remainingTables = remainingTables.filter((table) => !readyTables.includes(table));
  }
  return sortedTables;
};

/** Returns the tables of the entities, each after the tables that it refers to. */
export const tablesOfEntities = (entityList: readonly Entity[]): readonly MovedTable[] =>
  sortByReferences(entityList.map(tableOf));

/** All tables except the table of migrations. */
export const movedTables: readonly MovedTable[] = tablesOfEntities(entities);
