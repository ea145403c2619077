import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Json } from '@portico/domain';

/** The JSON Schema keywords (draft 4 and 2020-12) that the official OpenAPI schemas use. */
export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  /** Draft 4: the value must exceed `minimum`. */
  readonly exclusiveMinimum?: boolean;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly properties?: SchemaMap;
  readonly patternProperties?: SchemaMap;
  readonly additionalProperties?: Schema;
  readonly unevaluatedProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly dependentSchemas?: SchemaMap;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
}

/** A JSON Schema. `true` accepts everything, `false` nothing. */
export type Schema = boolean | SchemaObject;
export type SchemaMap = Readonly<Record<string, Schema>>;

/**
 * Returns the official schema for that OpenAPI version from the validator package. External references are not fetched.
 */
export function readOfficialSchema(version: '3.0' | '3.1'): SchemaObject {
  const file = createRequire(import.meta.url).resolve(
    `@seriousme/openapi-schema-validator/schemas/v${version}/schema.json`,
  );
  return JSON.parse(readFileSync(file, 'utf8')) as SchemaObject;
}

/** Creates a function that resolves `$ref`s within one schema and caches the results. */
export function createSchemaLookup(root: SchemaObject): (reference: string) => Schema {
  const cache = new Map<string, Schema>();
  return (reference) => {
    const cachedSchema = cache.get(reference);
    if (cachedSchema !== undefined) return cachedSchema;
    let target: unknown = root;
    for (const token of reference.split('/').slice(1)) target = (target as Record<string, unknown>)[token];
    if (!reference.startsWith('#') || target === undefined) throw new Error(`The schema has no ${reference}`);
    cache.set(reference, target as Schema);
    return target as Schema;
  };
}
