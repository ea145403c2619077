import { words } from '../../words/words.ts';

const text = words.schema;

/** A JSON Schema from a slice of a document, not validated: each keyword is checked when it is read. */
export type Schema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A subschema: its name, and its JSON Pointer in the slice (RFC 6901). */
export interface SchemaPart {
  readonly name: string;
  /** Whether the name comes from the document, unlike “each item”. */
  readonly isName: boolean;
  readonly required: boolean;
  readonly pointer: string;
  readonly schema: unknown;
}

/** Describes the type of a schema in a few words. */
export const describeType = (schema: unknown): string => {
  if (schema === false) return text.nothing;
  if (!isSchema(schema)) return text.anything;
  const reference = schema['$ref'];
  if (typeof reference === 'string') return referenceNameOf(reference);
  if ('const' in schema) return text.value(formatValue(schema['const']));
  const types = typesOf(schema);
  if (types.length > 0) return withFormat(types.map((type) => describeOneType(type, schema)).join(text.or), schema);
  return describeUntyped(schema);
};

const typesOf = (schema: Schema): readonly string[] => {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((entry) => typeof entry === 'string');
  return schema['nullable'] === true && types.length > 0 && !types.includes('null') ? [...types, 'null'] : types;
};

const describeOneType = (type: string, schema: Schema): string =>
  type === 'array' && isSchema(schema['items']) ? text.arrayOf(describeType(schema['items'])) : type;

const withFormat = (type: string, { format }: Schema): string =>
  typeof format === 'string' ? text.withFormat(type, format) : type;

const describeUntyped = (schema: Schema): string => {
  for (const name of ['oneOf', 'anyOf'] as const) {
    const schemas = listOf(schema, name);
    const types = schemas.map(describeType);
    const distinctTypes = [...new Set(types)];
    if (schemas.length > 0) return distinctTypes.length <= 2 ? distinctTypes.join(text.or) : text[name](schemas.length);
  }
  const parts = listOf(schema, 'allOf').map(describeType);
  const firstType = parts.find((part) => part !== text.anything);
  if (firstType !== undefined) return firstType;
  if (isSchema(schema['properties'])) return 'object';
  if (isSchema(schema['items'])) return text.arrayOf(describeType(schema['items']));
  const values = listOf(schema, 'enum').length;
  return values > 0 ? text.valueOf(values) : text.anything;
};

/** Returns `Pet` for `#/components/schemas/Pet`. */
export const referenceNameOf = (reference: string): string => {
  const name = reference.split('/').at(-1) ?? reference;
  const unescapedName = name.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescapedName);
  } catch {
    return unescapedName;
  }
};

export const listOf = (schema: Schema, name: string): readonly unknown[] => {
  const value = schema[name];
  return Array.isArray(value) ? value : [];
};

const valueTextMax = 120;

/** Formats a value from the document on one line. */
export const formatValue = (value: unknown): string => {
  const json = JSON.stringify(value) ?? '';
  return json.length > valueTextMax ? `${json.slice(0, valueTextMax)}…` : json;
};

/** Describes the constraints of a schema, each in a few words. */
export const constraintsOf = (schema: Schema): readonly string[] => {
  const constraints = Object.entries(text.constraints).flatMap(([name, format]) => {
    const value = schema[name];
    if (value === undefined || value === null) return [];
    return [format(typeof value === 'string' && name !== 'default' ? value : formatValue(value))];
  });
  const examples = listOf(schema, 'examples').slice(0, 3);
  return [
    ...constraints,
    ...(examples.length > 0 ? [text.constraints.example(examples.map(formatValue).join(', '))] : []),
    ...(schema['uniqueItems'] === true ? [text.unique] : []),
    ...(schema['additionalProperties'] === false ? [text.noAdditionalProperties] : []),
    ...(schema['readOnly'] === true ? [text.readOnly] : []),
    ...(schema['writeOnly'] === true ? [text.writeOnly] : []),
  ];
};

/** Returns the direct subschemas. Skips levels that add no information. */
export const partsOf = (schema: unknown, pointer: string): readonly SchemaPart[] => {
  if (!isSchema(schema)) return [];
  return [
    ...membersOf(schema, pointer),
    ...itemsOf(schema, pointer),
    ...variantsOf(schema, pointer, 'oneOf'),
    ...variantsOf(schema, pointer, 'anyOf'),
    ...listOf(schema, 'allOf').flatMap((part, index) => partsOf(part, `${pointer}/allOf/${index}`)),
    ...(['not', 'if', 'then', 'else'] as const).flatMap((name) =>
      isSchema(schema[name])
        ? [
            {
              name: keywordNames[name],
              isName: false,
              required: false,
              pointer: `${pointer}/${name}`,
              schema: schema[name],
            },
          ]
        : [],
    ),
  ];
};

const keywordNames = { not: text.not, if: text.condition, then: text.consequence, else: text.otherwise } as const;

const membersOf = (schema: Schema, pointer: string): readonly SchemaPart[] => {
  const required = new Set(listOf(schema, 'required'));
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}).map(
    ([name, member]) => ({
      name,
      isName: true,
      required: required.has(name),
      pointer: `${pointer}/properties/${escapePointer(name)}`,
      schema: member,
    }),
  );
  const patterns = Object.entries(isSchema(schema['patternProperties']) ? schema['patternProperties'] : {}).map(
    ([pattern, member]) => ({
      name: `/${pattern}/`,
      isName: true,
      required: false,
      pointer: `${pointer}/patternProperties/${escapePointer(pattern)}`,
      schema: member,
    }),
  );
  const additionalProperties = schema['additionalProperties'];
  const additionalSchemas =
    isSchema(additionalProperties) && Object.keys(additionalProperties).length > 0 ? [additionalProperties] : [];
  return [
    ...properties,
    ...patterns,
    ...additionalSchemas.map((additionalSchema) => ({
      name: text.additionalProperties,
      isName: false,
      required: false,
      pointer: `${pointer}/additionalProperties`,
      schema: additionalSchema,
    })),
  ];
};

const itemsOf = (schema: Schema, pointer: string): readonly SchemaPart[] => {
  const { items } = schema;
  const prefixItems = listOf(schema, 'prefixItems').map((item, index) => ({
    name: text.itemAt(index + 1),
    isName: false,
    required: false,
    pointer: `${pointer}/prefixItems/${index}`,
    schema: item,
  }));
  if (!isSchema(items) || Object.keys(items).length === 0) return prefixItems;
  // The members of the items are more useful than a level that only shows that there are items.
  const itemParts = partsOf(items, `${pointer}/items`);
  const isSkippable = isSchema(items['properties']) && typeof items['description'] !== 'string';
  if (prefixItems.length === 0 && isSkippable) return itemParts;
  return [
    ...prefixItems,
    { name: text.item, isName: false, required: false, pointer: `${pointer}/items`, schema: items },
  ];
};

const variantsOf = (schema: Schema, pointer: string, keyword: 'oneOf' | 'anyOf'): readonly SchemaPart[] => {
  const schemas = listOf(schema, keyword);
  const variants = schemas.flatMap((form, index) => (isNull(form) ? [] : [{ form, index }]));
  if (variants.length === 1 && variants[0])
    return partsOf(variants[0].form, `${pointer}/${keyword}/${variants[0].index}`);
  return variants.map(({ form, index }) => ({
    name: nameVariant(form, text.variant(index + 1, schemas.length)),
    isName: false,
    required: false,
    pointer: `${pointer}/${keyword}/${index}`,
    schema: form,
  }));
};

const nameVariant = (form: unknown, position: string): string =>
  isSchema(form) && typeof form['title'] === 'string' ? `${form['title']} (${position})` : position;

const isNull = (form: unknown): boolean => isSchema(form) && form['type'] === 'null';

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const truncatedKeywords = ['', '/properties', '/items', '/oneOf', '/anyOf', '/allOf', '/additionalProperties'];

/**
 * Returns whether parts of this schema itself were left out. If too many places were cut, a slice lists only their
 * parent. In that case, any schema without parts below that parent may have lost its parts.
 */
export const isTruncated = (schema: unknown, pointer: string, truncated: readonly string[]): boolean => {
  if (truncatedKeywords.some((keyword) => truncated.includes(`${pointer}${keyword}`)))
    return partsOf(schema, pointer).length === 0;
  if (!isBare(schema)) return false;
  return truncated.some((truncatedPointer) => pointer.startsWith(`${truncatedPointer}/`));
};

/** Returns whether a schema is an object or array without details, or an unresolved reference. */
const isBare = (schema: unknown): boolean => {
  if (!isSchema(schema)) return false;
  if (typeof schema['$ref'] === 'string') return true;
  const types = typesOf(schema);
  const hasParts = types.includes('object') || types.includes('array');
  return hasParts && partsOf(schema, '').length === 0 && !isSchema(schema['items']);
};
