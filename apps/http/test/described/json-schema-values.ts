import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';

/** The part of JSON Schema (draft 2020-12) that the service's OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
}

/** Keywords that do not restrict values. */
const annotations = ['description', 'default', 'examples', 'writeOnly'];
const knownKeywords = new Set([
  ...['$ref', 'type', 'const', 'enum', 'anyOf', 'allOf', 'if', 'then', 'minLength', 'maxLength', 'pattern', 'format'],
  ...[
    'minimum',
    'maximum',
    'required',
    'properties',
    'additionalProperties',
    'propertyNames',
    'items',
    'minItems',
    'maxItems',
    'maxProperties',
    'uniqueItems',
  ],
  ...annotations,
]);

export interface Values {
  readonly isAllowed: (value: unknown) => boolean;
  /** A generator of any allowed values. */
  readonly arbitrary: fc.Arbitrary<unknown>;
  /** Allowed values at the limits. */
  readonly edgeCases: readonly unknown[];
  /** Values just beyond a limit and values of other types, each invalid in one place. */
  readonly invalidValues: readonly unknown[];
}

type Document = Readonly<Record<string, unknown>>;

/**
 * Creates a generator of values for the schemas of an OpenAPI document. Ajv confirms which of them are allowed. An
 * unknown keyword is an error, so that no keyword is skipped. White space around a string is ignored, as specified in
 * the document's introduction.
 */
export const createValueMaker = (document: Document): ((schema: Schema) => Values) => {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addFormat('idn-email', true);
  ajv.addSchema(document, 'service');
  const createValidator = (schema: Schema) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"service#/');
    const validate = ajv.compile(JSON.parse(text) as object);
    return (value: unknown): boolean => validate(trim(value));
  };
  const resolve = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    const { $ref, ...rest } = schema;
    const path = $ref.split('/').slice(1);
    const definition = path.reduce<unknown>((value, part) => (value as Document)[part], document);
    return { ...resolve(definition as Schema), ...rest };
  };

  const valuesOf = (reference: Schema): Values => {
    const schema = resolve(reference);
    for (const keyword of Object.keys(schema))
      if (!knownKeywords.has(keyword)) throw new Error(`Unknown keyword ${keyword}`);
    const isAllowed = createValidator(schema);
    const { arbitrary, edgeCases, invalidValues } = candidatesOf(schema, valuesOf, resolve);
    return {
      isAllowed,
      arbitrary: arbitrary.filter(isAllowed),
      edgeCases: edgeCases.filter(isAllowed),
      invalidValues: [...invalidValues, ...otherTypes].filter((value) => !isAllowed(value)),
    };
  };
  return valuesOf;
};

const trim = (value: unknown): unknown => {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trim);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, trim(member)]));
};

const otherTypes = [null, true, 0, 1.5, -1, 'text', '', [], ['text'], {}, { a: 1 }];

type Candidates = Omit<Values, 'isAllowed'>;
type ValuesOf = (schema: Schema) => Values;

const candidatesOf = (schema: Schema, valuesOf: ValuesOf, resolve: (schema: Schema) => Schema): Candidates => {
  if (schema.properties || schema.type === 'object') return objectCandidatesOf(schema, valuesOf, resolve);
  if (schema.anyOf)
    return combineCandidates(schema.anyOf.map((option) => valuesOf({ ...omitOptions(schema), ...option })));
  if (schema.enum) return enumCandidatesOf(schema.enum);
  if ('const' in schema) return enumCandidatesOf([schema.const]);
  switch (schema.type) {
    case 'string':
      return stringCandidatesOf(schema);
    case 'integer':
      return integerCandidatesOf(schema);
    case 'number':
      return numberCandidatesOf(schema);
    case 'array':
      return listCandidatesOf(schema, valuesOf);
    case 'null':
      return enumCandidatesOf([null]);
    case 'boolean':
      return enumCandidatesOf([true, false]);
    case undefined:
      return { arbitrary: fc.jsonValue({ maxDepth: 2 }), edgeCases: [null, '', 0, [], {}], invalidValues: [] };
    default:
      throw new Error(`Unknown type ${schema.type}`);
  }
};

const omitOptions = ({ anyOf: _, ...rest }: Schema): Schema => rest;

const combineCandidates = (options: readonly Candidates[]): Candidates => ({
  arbitrary: fc.oneof(...options.map(({ arbitrary }) => arbitrary)),
  edgeCases: options.flatMap(({ edgeCases }) => edgeCases),
  invalidValues: options.flatMap(({ invalidValues }) => invalidValues),
});

const enumCandidatesOf = (values: readonly unknown[]): Candidates => ({
  arbitrary: fc.constantFrom(...values),
  edgeCases: values,
  invalidValues: values.flatMap((value) =>
    typeof value === 'string' && value !== '' ? [`${value}x`, value + value] : [],
  ),
});

const listCandidatesOf = ({ items = {}, maxItems }: Schema, valuesOf: ValuesOf): Candidates => {
  const { arbitrary, edgeCases, invalidValues } = valuesOf(items);
  return {
    arbitrary: fc.array(arbitrary, { minLength: 1, maxLength: 3 }),
    edgeCases: [edgeCases, ...edgeCases.map((edgeCase) => [edgeCase])],
    invalidValues: [
      [],
      ...(maxItems === undefined
        ? []
        : edgeCases.slice(0, 1).map((edgeCase) => new Array<unknown>(maxItems + 1).fill(edgeCase))),
      ...edgeCases.map((edgeCase) => [edgeCase, edgeCase]),
      ...invalidValues.flatMap((value) => [[value], [...edgeCases, value]]),
    ],
  };
};

const numberCandidatesOf = ({ minimum = 0, maximum = 1 }: Schema): Candidates => ({
  arbitrary: fc.double({ min: minimum, max: maximum, noNaN: true }),
  edgeCases: [minimum, maximum],
  invalidValues: [minimum - 0.001, maximum + 0.001],
});

const integerCandidatesOf = ({ minimum = -1_000, maximum }: Schema): Candidates => ({
  arbitrary: fc.integer({ min: minimum, max: Math.min(maximum ?? 2 ** 31, 2 ** 31) }),
  edgeCases: [minimum, minimum + 1, ...(maximum === undefined ? [Number.MAX_SAFE_INTEGER] : [maximum - 1, maximum])],
  invalidValues: [
    minimum - 1,
    minimum + 0.5,
    `${minimum}`,
    ...(maximum === undefined ? [] : [maximum + 1, maximum * 1e6]),
  ],
});

/**
 * Characters that are forbidden only in some strings: U+0000, control characters, and characters excluded from names.
 */
const forbiddenCharacters = [
  '\0',
  '\n',
  '\t',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u202e',
  '\u2066',
  ' ',
  '/',
  'É',
  '%',
];
const characters = [...'aZ059-_.@ "\'\\<>{}[]:,é株\u00a0\n\t', '😀', '\u0301', 'ﬁ', '\ufeff'];

const stringCandidatesOf = (schema: Schema): Candidates => {
  const { minLength = 0, maxLength = 60, pattern } = schema;
  const formattedArbitrary = formattedStringsOf(schema);
  const plainArbitrary = fc.string({
    unit: fc.constantFrom(...characters),
    minLength,
    maxLength: Math.min(maxLength, 60),
  });
  const isLoose = pattern === undefined || pattern.startsWith('^[^');
  const withForbiddenCharacter = forbiddenCharacters.flatMap((forbiddenCharacter) => [
    `a${forbiddenCharacter}b`,
    `a@b${forbiddenCharacter}c.example`,
  ]);
  const repeatUnit = (unit: string, length: number) => unit.repeat(length);
  return {
    arbitrary: formattedArbitrary ?? (isLoose ? plainArbitrary : fc.stringMatching(new RegExp(pattern))),
    edgeCases: [
      ...(formattedArbitrary ? fc.sample(formattedArbitrary, { numRuns: 20, seed: 1 }) : []),
      ...withForbiddenCharacter,
      ...[
        'a',
        '0',
        '😀',
        'a😀b',
        '-',
        'a-b_c',
        repeatUnit('a', maxLength),
        repeatUnit('😀', maxLength),
        repeatUnit('a', minLength),
      ],
    ],
    invalidValues: [
      ...[
        '',
        '-',
        'a b',
        'A',
        repeatUnit('a', maxLength + 1),
        repeatUnit('😀', maxLength + 1),
        repeatUnit('a', Math.max(0, minLength - 1)),
      ],
      ...withForbiddenCharacter,
      ...(schema.format === 'uuid' ? [uuid.slice(1), `${uuid}0`, uuid.replaceAll('-', ''), `{${uuid}}`] : []),
      ...(schema.format?.startsWith('date') ? ['2026-02-30', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00Z', '1'] : []),
      ...(schema.format === 'idn-email' ? ['a', '@b.example', 'a@', 'a@b', 'a..b@c.example', 'a@b..example'] : []),
    ],
  };
};

const uuid = '0b7e4c1a-5d0f-4b52-9a3e-2f0d5f6c7a81';

const anyDate = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const word = fc.string({ unit: fc.constantFrom(...'abzÄé09'), minLength: 1, maxLength: 9 });

/** Returns strings in the schema's format; null if the schema has no format. */
const formattedStringsOf = ({ format }: Schema): fc.Arbitrary<string> | null => {
  switch (format) {
    case undefined:
      return null;
    case 'uuid':
      return fc.oneof(
        fc.uuid(),
        fc.uuid().map((text) => text.toUpperCase()),
      );
    case 'date':
      return anyDate.map((date) => date.toISOString().slice(0, 10));
    case 'date-time':
      return fc
        .tuple(anyDate, fc.constantFrom('Z', '.5Z', '.123456789Z', '+14:00', '-23:59', 'z', `.${'5'.repeat(50)}Z`))
        .map(([date, end]) => `${date.toISOString().slice(0, 19)}${end}`);
    case 'idn-email':
      return fc
        .tuple(word, word, word)
        .map(([name, host, topLevelDomain]) => `${name}.o'${name}+tag@${host}.${topLevelDomain}`);
    case 'uri':
      return fc
        .tuple(
          fc.constantFrom('http', 'HTTPS'),
          fc.constantFrom('a.example', 'my_host:8080', '127.0.0.1', '[::1]:65535'),
          fc.webPath(),
        )
        .map(([scheme, host, path]) => `${scheme}://${host}${path}`);
    default:
      throw new Error(`Unknown format ${format}`);
  }
};

const objectCandidatesOf = (schema: Schema, valuesOf: ValuesOf, resolve: (schema: Schema) => Schema): Candidates => {
  const forms = formsOf(schema, resolve).map((form) => objectsOf(form, valuesOf));
  return combineCandidates(forms);
};

/** Returns an object's schema once for each of its options, with all parts merged. */
const formsOf = (reference: Schema, resolve: (schema: Schema) => Schema): readonly Schema[] => {
  const { anyOf, allOf = [], ...schema } = resolve(reference);
  const mergedSchema = allOf.filter((part) => !part.if).reduce(merge, schema);
  return anyOf ? anyOf.flatMap((option) => formsOf(merge(mergedSchema, mergeAllOf(option)), resolve)) : [mergedSchema];
};

const mergeAllOf = ({ allOf = [], ...schema }: Schema): Schema => allOf.reduce(merge, schema);

const merge = (left: Schema, right: Schema): Schema => ({
  ...left,
  ...right,
  properties: { ...left.properties, ...right.properties },
  required: [...(left.required ?? []), ...(right.required ?? [])],
});

type JsonObject = Readonly<Record<string, unknown>>;

const objectsOf = ({ properties = {}, required = [] }: Schema, valuesOf: ValuesOf): Candidates => {
  const members = Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema)] as const);
  const model: Record<string, fc.Arbitrary<unknown>> = {
    ...Object.fromEntries(members.map(([name, values]) => [name, values.arbitrary])),
    'x-other': fc.jsonValue({ maxDepth: 2 }),
  };
  const arbitrary = fc.record(model, { requiredKeys: [...required] });
  const minimalObject: JsonObject = Object.fromEntries(
    members.filter(([name]) => required.includes(name)).map(([name, { edgeCases }]) => [name, edgeCases[0]]),
  );
  const omitMember = (name: string): JsonObject =>
    Object.fromEntries(Object.entries(minimalObject).filter(([key]) => key !== name));
  const replaceEachMember = (selectValues: (memberValues: Values) => readonly unknown[]) =>
    members.flatMap(([name, memberValues]) =>
      selectValues(memberValues).map((value) => ({ ...minimalObject, [name]: value })),
    );
  return {
    arbitrary,
    edgeCases: [minimalObject, ...replaceEachMember(({ edgeCases }) => edgeCases)],
    invalidValues: [...required.map(omitMember), ...replaceEachMember(({ invalidValues }) => invalidValues)],
  };
};
