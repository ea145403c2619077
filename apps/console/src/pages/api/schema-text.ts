import { words } from '../../words/words.ts';

const text = words.schema;

/** A JSON Schema as a slice of a document has it: what is not known of it is looked at as it comes. */
export type Schema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema below another: what it is called there, and where it stands in the slice (RFC 6901). */
export interface SchemaPart {
  readonly name: string;
  /** A name of the document itself, unlike “each item”. */
  readonly isName: boolean;
  readonly required: boolean;
  readonly pointer: string;
  readonly schema: unknown;
}

/** What values of this schema are, in a few words. */
export const typeText = (schema: unknown): string => {
  if (schema === false) return text.nothing;
  if (!isSchema(schema)) return text.anything;
  const reference = schema['$ref'];
  if (typeof reference === 'string') return referenceName(reference);
  if ('const' in schema) return text.value(valueText(schema['const']));
  const types = typesOf(schema);
  if (types.length > 0) return withFormat(types.map((type) => oneType(type, schema)).join(text.or), schema);
  return untypedText(schema);
};

const typesOf = (schema: Schema): readonly string[] => {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string');
  return schema['nullable'] === true && types.length > 0 && !types.includes('null') ? [...types, 'null'] : types;
};

const oneType = (type: string, schema: Schema): string =>
  type === 'array' && isSchema(schema['items']) ? text.arrayOf(typeText(schema['items'])) : type;

const withFormat = (type: string, { format }: Schema): string =>
  typeof format === 'string' ? text.withFormat(type, format) : type;

const untypedText = (schema: Schema): string => {
  for (const name of ['oneOf', 'anyOf'] as const) {
    const forms = listOf(schema, name);
    const said = forms.map(typeText);
    const distinct = [...new Set(said)];
    if (forms.length > 0) return distinct.length <= 2 ? distinct.join(text.or) : text[name](forms.length);
  }
  const parts = listOf(schema, 'allOf').map(typeText);
  const first = parts.find((part) => part !== text.anything);
  if (first !== undefined) return first;
  if (isSchema(schema['properties'])) return 'object';
  if (isSchema(schema['items'])) return text.arrayOf(typeText(schema['items']));
  const values = listOf(schema, 'enum').length;
  return values > 0 ? text.valueOf(values) : text.anything;
};

/** `Pet` of `#/components/schemas/Pet`. */
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

/** A value of the document in a line. */
export const valueText = (value: unknown): string => {
  const json = JSON.stringify(value) ?? '';
  return json.length > valueTextMax ? `${json.slice(0, valueTextMax)}…` : json;
};

/** What else is asked of a value, each in a few words. */
export const factsOf = (schema: Schema): readonly string[] => {
  const said = Object.entries(text.facts).flatMap(([name, say]) => {
    const value = schema[name];
    if (value === undefined || value === null) return [];
    return [say(typeof value === 'string' && name !== 'default' ? value : valueText(value))];
  });
  const examples = listOf(schema, 'examples').slice(0, 3);
  return [
    ...said,
    ...(examples.length > 0 ? [text.facts.example(examples.map(valueText).join(', '))] : []),
    ...(schema['uniqueItems'] === true ? [text.unique] : []),
    ...(schema['additionalProperties'] === false ? [text.closed] : []),
    ...(schema['readOnly'] === true ? [text.readOnly] : []),
    ...(schema['writeOnly'] === true ? [text.writeOnly] : []),
  ];
};

/** The schemas directly below this one. Levels that say nothing of their own are left out. */
export const partsOf = (schema: unknown, pointer: string): readonly SchemaPart[] => {
  if (!isSchema(schema)) return [];
  return [
    ...membersOf(schema, pointer),
    ...itemsOf(schema, pointer),
    ...formsOf(schema, pointer, 'oneOf'),
    ...formsOf(schema, pointer, 'anyOf'),
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
  const named = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}).map(([name, member]) => ({
    name,
    isName: true,
    required: required.has(name),
    pointer: `${pointer}/properties/${escaped(name)}`,
    schema: member,
  }));
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
    ...named,
    ...patterns,
    ...rest.map((other) => ({
      name: text.otherNames,
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
  // The members of the items tell more than a level that only says that there are items.
  const below = partsOf(items, `${pointer}/items`);
  const saysLittle = isSchema(items['properties']) && typeof items['description'] !== 'string';
  if (first.length === 0 && saysLittle) return below;
  return [...first, { name: text.item, isName: false, required: false, pointer: `${pointer}/items`, schema: items }];
};

const formsOf = (schema: Schema, pointer: string, keyword: 'oneOf' | 'anyOf'): readonly SchemaPart[] => {
  const forms = listOf(schema, keyword);
  const telling = forms.flatMap((form, index) => (isNull(form) ? [] : [{ form, index }]));
  if (telling.length === 1 && telling[0]) return partsOf(telling[0].form, `${pointer}/${keyword}/${telling[0].index}`);
  return telling.map(({ form, index }) => ({
    name: text.form(index + 1, forms.length),
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
 * Whether something of this schema itself was left out. A slice names too many places by what holds them: then a schema
 * without any part, below such a place, may have lost them.
 */
export const isCut = (schema: unknown, pointer: string, truncated: readonly string[]): boolean => {
  if (keywordsCut.some((keyword) => truncated.includes(`${pointer}${keyword}`)))
    return partsOf(schema, pointer).length === 0;
  if (!isBare(schema)) return false;
  return truncated.some((place) => pointer.startsWith(`${place}/`));
};

/** An object or a list of which nothing more is said, or a reference that was not followed. */
const isBare = (schema: unknown): boolean => {
  if (!isSchema(schema)) return false;
  if (typeof schema['$ref'] === 'string') return true;
  const types = typesOf(schema);
  const hasParts = types.includes('object') || types.includes('array');
  return hasParts && partsOf(schema, '').length === 0 && !isSchema(schema['items']);
};
