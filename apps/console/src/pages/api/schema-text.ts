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
  if (typeof reference === 'string') return referenceName(reference);
  if ('const' in schema) return text.value(valueText(schema['const']));
  const types = typesOf(schema);
  if (types.length > 0) return withFormat(types.map((type) => describeOneType(type, schema)).join(text.or), schema);
  return describeUntyped(schema);
};

const typesOf = (schema: Schema): readonly string[] => {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
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
    const distinct = [...new Set(types)];
    if (schemas.length > 0) return distinct.length <= 2 ? distinct.join(text.or) : text[name](schemas.length);
  }
  const parts = listOf(schema, 'allOf').map(describeType);
  const first = parts.find((part) => part !== text.anything);
  if (first !== undefined) return first;
  if (isSchema(schema['properties'])) return 'object';
  if (isSchema(schema['items'])) return text.arrayOf(describeType(schema['items']));
  const values = listOf(schema, 'enum').length;
  return values > 0 ? text.valueOf(values) : text.anything;
};

/** Returns `Pet` for `#/components/schemas/Pet`. */
export const referenceName = (reference: string): string => {
  const name = reference.split('/').at(-1) ?? reference;
  const unescaped = name.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
};

export const listOf = (schema: Schema, name: string): readonly unknown[] => {
  const value = schema[name];
  return Array.isArray(value) ? value : [];
};

const valueTextMax = 120;

/** Formats a value from the document on one line. */
export const valueText = (value: unknown): string => {
  const json = JSON.stringify(value) ?? '';
  return json.length > valueTextMax ? `${json.slice(0, valueTextMax)}…` : json;
};

/** Describes the constraints of a schema, each in a few words. */
export const constraintsOf = (schema: Schema): readonly string[] => {
  const constraints = Object.entries(text.constraints).flatMap(([name, format]) => {
    const value = schema[name];
    if (value === undefined || value === null) return [];
    return [format(typeof value === 'string' && name !== 'default' ? value : valueText(value))];
  });
  const examples = listOf(schema, 'examples').slice(0, 3);
  return [
    ...constraints,
    ...(examples.length > 0 ? [text.constraints.example(examples.map(valueText).join(', '))] : []),
    ...(schema['uniqueItems'] === true ? [text.unique] : []),
    ...(schema['additionalProperties'] === false ? [text.closed] : []),
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
      pointer: `${pointer}/properties/${escaped(name)}`,
      schema: member,
    }),
  );
  const patterns = Object.entries(isSchema(schema['patternProperties']) ? schema['patternProperties'] : {}).map(
    ([pattern, member]) => ({
      name: `/${pattern}/`,
      isName: true,
      required: false,
      pointer: `${pointer}/patternProperties/${escaped(pattern)}`,
      schema: member,
    }),
  );
  const others = schema['additionalProperties'];
  const rest = isSchema(others) && Object.keys(others).length > 0 ? [others] : [];
  return [
    ...properties,
    ...patterns,
    ...rest.map((other) => ({
      name: text.otherProperties,
      isName: false,
      required: false,
      pointer: `${pointer}/additionalProperties`,
      schema: other,
    })),
  ];
};

const itemsOf = (schema: Schema, pointer: string): readonly SchemaPart[] => {
  const { items } = schema;
  const first = listOf(schema, 'prefixItems').map((item, index) => ({
    name: text.itemAt(index + 1),
    isName: false,
    required: false,
    pointer: `${pointer}/prefixItems/${index}`,
    schema: item,
  }));
  if (!isSchema(items) || Object.keys(items).length === 0) return first;
  // The members of the items are more useful than a level that only shows that there are items.
  const below = partsOf(items, `${pointer}/items`);
  const saysLittle = isSchema(items['properties']) && typeof items['description'] !== 'string';
  if (first.length === 0 && saysLittle) return below;
  return [...first, { name: text.item, isName: false, required: false, pointer: `${pointer}/items`, schema: items }];
};

const variantsOf = (schema: Schema, pointer: string, keyword: 'oneOf' | 'anyOf'): readonly SchemaPart[] => {
  const schemas = listOf(schema, keyword);
  const variants = schemas.flatMap((form, index) => (isNull(form) ? [] : [{ form, index }]));
  if (variants.length === 1 && variants[0])
    return partsOf(variants[0].form, `${pointer}/${keyword}/${variants[0].index}`);
  return variants.map(({ form, index }) => ({
    name: text.variant(index + 1, schemas.length),
    isName: false,
    required: false,
    pointer: `${pointer}/${keyword}/${index}`,
    schema: form,
  }));
};

const isNull = (form: unknown): boolean => isSchema(form) && form['type'] === 'null';

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const keywordsCut = ['', '/properties', '/items', '/oneOf', '/anyOf', '/allOf', '/additionalProperties'];

/**
 * Returns whether parts of this schema itself were left out. If too many places were cut, a slice lists only their
 * parent. In that case, any schema without parts below that parent may have lost its parts.
 */
export const isCut = (schema: unknown, pointer: string, truncated: readonly string[]): boolean => {
  if (keywordsCut.some((keyword) => truncated.includes(`${pointer}${keyword}`)))
    return partsOf(schema, pointer).length === 0;
  if (!isBare(schema)) return false;
  return truncated.some((place) => pointer.startsWith(`${place}/`));
};

/** Returns whether a schema is an object or array without details, or an unresolved reference. */
const isBare = (schema: unknown): boolean => {
  if (!isSchema(schema)) return false;
  if (typeof schema['$ref'] === 'string') return true;
  const types = typesOf(schema);
  const hasParts = types.includes('object') || types.includes('array');
  return hasParts && partsOf(schema, '').length === 0 && !isSchema(schema['items']);
};
