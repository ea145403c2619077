import { BlobType, BooleanType, IntegerType } from '@mikro-orm/core';
import { entities } from '../entities.ts';
import { inSnakeCase } from '../table.ts';

/** A table as "portico migrate" moves it. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly MovedColumn[];
  /** The columns of the primary key: the order in which rows are read. */
  readonly key: readonly string[];
  /** The column whose values the database counts up, or null. */
  readonly identity: string | null;
}

export interface MovedColumn {
  readonly name: string;
  /** What the dialects store differently, or what may be large. */
  readonly kind: 'boolean' | 'bytes' | 'plain';
}

interface Property {
  readonly type?: unknown;
  readonly primary?: boolean;
  readonly autoincrement?: boolean;
  /** The entity that it refers to. */
  readonly entity?: () => { readonly meta: { readonly tableName?: string } };
}

interface Entity {
  readonly meta: { readonly tableName?: string; readonly properties: object };
}

type Related = MovedTable & { readonly refersTo: readonly string[] };

const isOf = (type: unknown, wanted: typeof BlobType | typeof BooleanType | typeof IntegerType): boolean =>
  type === wanted || type instanceof wanted;

const kindOf = ({ type }: Property): MovedColumn['kind'] => {
  if (isOf(type, BooleanType)) return 'boolean';
  return isOf(type, BlobType) ? 'bytes' : 'plain';
};

const isIdentity = ({ type, primary, autoincrement }: Property): boolean =>
  primary === true && autoincrement !== false && isOf(type, IntegerType);

const tableOf = ({ meta }: Entity): Related => {
  if (!meta.tableName) throw new Error('The entity has no table.');
  const properties = Object.entries(meta.properties as Readonly<Record<string, Property>>);
  const columnsThat = (holds: (property: Property) => boolean) =>
    properties.filter(([, property]) => holds(property)).map(([name]) => inSnakeCase(name));
  return {
    name: meta.tableName,
    columns: properties.map(([name, property]) => ({ name: inSnakeCase(name), kind: kindOf(property) })),
    key: columnsThat(({ primary }) => primary === true),
    identity: columnsThat(isIdentity)[0] ?? null,
    refersTo: properties.flatMap(([, { entity }]) => entity?.().meta.tableName ?? []),
  };
};

/** Each table after those that its foreign keys refer to. Throws if there is no such order. */
const inOrder = (tables: readonly Related[]): readonly MovedTable[] => {
  const ordered: Related[] = [];
  for (let left = tables; left.length > 0;) {
    const isReady = ({ refersTo }: Related) => refersTo.every((name) => ordered.some((table) => table.name === name));
    const ready = left.filter(isReady);
    if (ready.length === 0)
      throw new Error(`The foreign keys of ${left.map(({ name }) => name).join(', ')} form a circle`);
    ordered.push(...ready);
    left = left.filter((table) => !ready.includes(table));
  }
  return ordered;
};

/** The tables of these entities, each after those that it refers to. */
export const tablesOfEntities = (of: readonly Entity[]): readonly MovedTable[] => inOrder(of.map(tableOf));

/** All tables but that of the migrations. */
export const movedTables: readonly MovedTable[] = tablesOfEntities(entities);
