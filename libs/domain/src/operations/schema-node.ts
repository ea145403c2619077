import type { Json } from '../json.ts';
import type { MissingReason, Trail } from './references.ts';

/** One of the schemas that apply to a value, and the references that were followed to it. */
export interface SchemaPart {
  readonly value: Json | undefined;
  readonly trail: Trail | null;
  /** Whether a contradicting statement of another part takes precedence, because the document only implies this one. */
  readonly isImplied?: boolean;
}

/** A schema in the document: all its parts apply to the same value. */
export interface SchemaNode {
  readonly parts: readonly SchemaPart[];
  /** An alternative's name: the discriminator's value, or the name of the schema. */
  readonly name?: string;
  /** The schema, if it consists of parts that were read already. */
  readonly schema?: Schema;
}

export const createNode = (value: Json | undefined, trail: Trail | null = null): SchemaNode => ({
  parts: [{ value, trail }],
});

/** Returns the schema that accepts the values that both accept. */
export const joinNodes = (node: SchemaNode, addedNode: SchemaNode): SchemaNode => ({
  ...node,
  parts: [...node.parts, ...addedNode.parts],
});

/**
 * One level of a schema, with its references followed and its `allOf` merged. Keywords of JSON Schema 2020-12, in
 * `schemaKeywords`' order once they are written.
 */
export interface Schema {
  /** False for the schema that accepts nothing. */
  readonly isSatisfiable: boolean;
  /** The keywords without schemas. A `$ref` is one that cannot be followed. */
  readonly values: Map<string, Json>;
  /** The keywords that are one schema, such as `items`. */
  readonly nodes: Map<string, SchemaNode>;
  /** The keywords that are a list of schemas. `allOf` lists the parts that cannot be merged. */
  readonly lists: Map<string, readonly SchemaNode[]>;
  /** The keywords that are schemas by name, such as `properties`. */
  readonly maps: Map<string, Map<string, SchemaNode>>;
  /** Why parts are missing. */
  readonly missing: readonly MissingReason[];
}

export const createSchema = (isSatisfiable = true): Schema => ({
  isSatisfiable,
  values: new Map(),
  nodes: new Map(),
  lists: new Map(),
  maps: new Map(),
  missing: [],
});

/** Returns the names that a schema requires. */
export const requiredNamesOf = ({ values }: Schema): ReadonlySet<string> =>
  new Set((values.get('required') ?? []) as readonly string[]);

export const propertiesOf = ({ maps }: Schema): ReadonlyMap<string, SchemaNode> => maps.get('properties') ?? new Map();

/** Returns the types that a schema allows; an empty list allows all. */
export const typesOf = ({ values }: Schema): readonly string[] => {
  const type = values.get('type') ?? [];
  return (Array.isArray(type) ? type : [type]) as readonly string[];
};
