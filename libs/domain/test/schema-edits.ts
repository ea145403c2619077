import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import fc from 'fast-check';
import type { Json, JsonObject } from '../src/json.ts';

/** Two versions of a document that has only schemas. */
export interface SchemaEdit {
  readonly before: SchemaDocument;
  readonly after: SchemaDocument;
}

export interface SchemaDocument extends JsonObject {
  readonly openapi: '3.1.0';
  readonly components: { readonly schemas: Readonly<Record<'Root' | 'Node', JsonObject>> };
}

const name = fc.constantFrom('a', 'b', 'ab');
const count = fc.integer({ min: 0, max: 3 });
const smallValue = fc.constantFrom<Json>(
  0,
  1,
  2,
  1.5,
  -1,
  'a',
  'ab',
  'b',
  null,
  true,
  [],
  [1],
  [1, 'a'],
  {},
  { a: 1 },
  { b: 'a' },
);
const names = fc.uniqueArray(name, { maxLength: 2 });

/** The values of keywords, by name; without `contains`, because ajv reads it differently for arrays without items. */
const { schema: anySchema, keyword: anyKeyword } = fc.letrec<{ schema: JsonObject; keyword: readonly [string, Json] }>(
  (tie) => {
    const reference = fc.constantFrom<Json>(
      { $ref: '#/components/schemas/Node' },
      { $ref: '#/components/schemas/Root' },
    );
    const part = fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean(),
      { arbitrary: tie('schema'), weight: 6 },
      { arbitrary: reference, weight: 1 },
    );
    const list = fc.array(part, { minLength: 1, maxLength: 3 });
    const keywords: Readonly<Record<string, fc.Arbitrary<Json>>> = {
      type: fc.constantFrom<Json>(
        'object',
        'array',
        'integer',
        'number',
        'string',
        'boolean',
        ['string', 'null'],
        ['number', 'object'],
        ['integer', 'string'],
      ),
      enum: fc.uniqueArray(smallValue, { minLength: 1, maxLength: 4, comparator: 'SameValue' }),
      const: smallValue,
      minimum: count,
      maximum: count,
      exclusiveMinimum: count,
      exclusiveMaximum: count,
      multipleOf: fc.constantFrom(1, 2, 3, 0.5, 4),
      minLength: count,
      maxLength: count,
      pattern: fc.constantFrom('^a', 'b$', '^[ab]+$', '^[a-z]{2,3}$', String.raw`^\d+$`),
      format: fc.constantFrom('date', 'email', 'uuid', 'int32', 'ipv4', 'date-time'),
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      required: names,
      minProperties: count,
      maxProperties: count,
      dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
      properties: fc.dictionary(name, part, { maxKeys: 3 }),
      patternProperties: fc.dictionary(fc.constantFrom('a', '^b', 'b$'), part, { maxKeys: 2 }),
      additionalProperties: part,
      unevaluatedProperties: fc.boolean(),
      propertyNames: part,
      prefixItems: list,
      items: part,
      allOf: list,
      anyOf: list,
      oneOf: list,
      not: part,
      if: part,
      then: part,
      else: part,
      dependentSchemas: fc.dictionary(name, part, { maxKeys: 1 }),
    };
    const keyword = fc
      .constantFrom(...Object.keys(keywords))
      .chain((key) => (keywords[key] ?? fc.constant(true)).map((value) => [key, value] as const));
    return {
      keyword,
      schema: fc.array(keyword, { maxLength: 4 }).map((entries): JsonObject => Object.fromEntries(entries)),
    };
  },
);

/** An edit of a schema: its place, by choices on the way down, and the keyword to set; null to remove one. */
interface Edit {
  readonly choices: readonly number[];
  readonly keyword: readonly [string, Json] | null;
}

const anyEdit: fc.Arbitrary<Edit> = fc.record({
  choices: fc.array(fc.nat(7), { maxLength: 3 }),
  keyword: fc.option(anyKeyword, { freq: 4 }),
});

const isSchemaObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a schema with an edit; the choices lead into its members that are schemas. */
const applyEdit = (schema: JsonObject, { choices: [choice, ...choices], keyword }: Edit): JsonObject => {
  const places = Object.entries(schema).flatMap(
    ([key, value]): { key: string; inner: string | number | null; value: JsonObject }[] => {
      if (['enum', 'const', 'dependentRequired', 'required'].includes(key)) return [];
      if (Array.isArray(value))
        return value.flatMap((item, inner) => (isSchemaObject(item) ? [{ key, inner, value: item }] : []));
      if (!isSchemaObject(value)) return [];
      if (!/roperties$|Schemas$/.test(key) || key.startsWith('unevaluated') || key === 'additionalProperties')
        return [{ key, inner: null, value }];
      return Object.entries(value).flatMap(([inner, item]) =>
        isSchemaObject(item) ? [{ key, inner, value: item }] : [],
      );
    },
  );
  const place = choice === undefined ? undefined : places[choice % (places.length + 1)];
  if (place) {
    const value = applyEdit(place.value, { choices, keyword });
    if (place.inner === null) return { ...schema, [place.key]: value };
    const container = schema[place.key];
    const next = Array.isArray(container)
      ? container.map((item: Json, index) => (index === place.inner ? value : item))
      : { ...(container as JsonObject), [place.inner]: value };
    return { ...schema, [place.key]: next };
  }
  if (keyword) return { ...schema, [keyword[0]]: keyword[1] };
  const keys = Object.keys(schema);
  const removedKey = keys[(choice ?? 0) % Math.max(keys.length, 1)];
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== removedKey));
};

const documentOf = (Root: JsonObject, Node: JsonObject): SchemaDocument => ({
  openapi: '3.1.0',
  components: { schemas: { Root, Node } },
});

/** Documents with one edit, or with two. */
export const anySchemaEdit: fc.Arbitrary<SchemaEdit> = fc
  .record({
    root: anySchema,
    node: anySchema,
    edits: fc.array(anyEdit, { minLength: 1, maxLength: 2 }),
    isNode: fc.boolean(),
  })
  .map(({ root, node, edits, isNode }) => ({
    before: documentOf(root, node),
    after: isNode ? documentOf(root, edits.reduce(applyEdit, node)) : documentOf(edits.reduce(applyEdit, root), node),
  }));

/** Values with which to look for a difference. */
export const someValues: fc.Arbitrary<readonly Json[]> = fc.array(
  fc.oneof(smallValue, fc.array(smallValue, { maxLength: 3 }), fc.dictionary(name, smallValue, { maxKeys: 3 })),
  { minLength: 15, maxLength: 15 },
);

/** Returns a function that validates with ajv; null for a value or a schema on which its generated code fails. */
export const createAjvValidator = ({ components }: SchemaDocument): ((value: Json) => boolean | null) => {
  const ajv = formatsPlugin.default(new Ajv2020({ strict: false, logger: false }));
  let validate: ReturnType<typeof ajv.compile> | null = null;
  return (value) => {
    try {
      validate ??= ajv.compile({ $ref: '#/components/schemas/Root', components } as object);
      return validate(value) as boolean;
    } catch {
      return null;
    }
  };
};
