import { z } from 'zod';
import { acceptsBlank } from '../requests/fields.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
/** The document's named schemas, collected while it is built. */
export type Schemas = Record<string, unknown>;

/** Returns a zod schema as JSON Schema; schemas with an id become components. */
export const schemaOf = (schema: z.ZodType, io: 'input' | 'output', schemas: Schemas): JsonObject => {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (acceptsBlank(zodSchema)) allowBlank(jsonSchema);
    },
  });
  delete root.$schema; // The whole document has one dialect.
  for (const [id, definition] of Object.entries($defs)) {
    schemas[id] = rewriteRefs(definition);
  }
  return rewriteRefs(root) as JsonObject;
};

/** Allows `""` wherever null means an absent field. */
const allowBlank = (schema: z.core.JSONSchema.BaseSchema): void => {
  const { type, anyOf = [] } = schema;
  const options = Array.isArray(type) ? (type as 'null'[]).map((typeName) => ({ type: typeName })) : anyOf;
  if (Array.isArray(type)) delete schema.type;
  schema.anyOf = options.map((option) => (option.type === 'null' ? { enum: ['', null] } : option));
};

/** The keywords that belong next to a parameter's `anyOf`, not inside it. */
const annotations: readonly string[] = ['description', 'default', 'examples'];

/**
 * Returns the schema of a query parameter. The parameter's text may be empty, which counts as absent. A schema of
 * numbers or booleans cannot express that, so `allowEmptyValue` does.
 */
export const toParameterSchema = (schema: JsonObject): JsonObject => {
  const { default: fallback, examples } = schema;
  const constraints = Object.fromEntries(Object.entries(schema).filter(([name]) => !annotations.includes(name)));
  const ownAnnotations = {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(examples ? { examples } : {}),
  };
  if (Array.isArray(constraints['enum']))
    return { ...constraints, enum: [...(constraints['enum'] as unknown[]), ''], ...ownAnnotations };
  if (constraints['type'] !== 'string') return { ...constraints, ...ownAnnotations };
  const { anyOf, ...otherConstraints } = constraints;
  return Array.isArray(anyOf)
    ? { ...otherConstraints, anyOf: [...(anyOf as unknown[]), { const: '' }], ...ownAnnotations }
    : { type: 'string', anyOf: [otherConstraints, { const: '' }], ...ownAnnotations };
};

const rewriteRefs = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(rewriteRefs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'id' || typeof (value as JsonObject)['id'] === 'object')
      .map(([key, member]) => [
        key,
        key === '$ref' && typeof member === 'string'
          ? member.replace('#/$defs/', '#/components/schemas/')
          : rewriteRefs(member),
      ]),
  );
};
