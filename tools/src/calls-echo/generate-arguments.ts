import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import type { SeededRandom } from '../seeded-random.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Schema = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  unicodeRegExp: false,
  logger: false,
});
const [attemptsMax, optionalShareMax] = [20, 0.3];

interface Context {
  readonly random: SeededRandom;
  /** The share of the optional members that are generated. */
  readonly optionalShare: number;
}

/**
 * Generates arguments that the schema of a tool accepts: all required ones, and some of the others, fewer with each
 * attempt. The caller may stop at any attempt.
 */
export function* generateArguments(
  schema: object,
  random: SeededRandom,
): Generator<Readonly<Record<string, Json>>, void, void> {
  const accepts = ajv.compile(schema);
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const args = generate(schema, { random, optionalShare: optionalShareMax * (1 - attempt / attemptsMax) }, 0);
    if (accepts(args)) yield args as Record<string, Json>;
  }
}

function generate(value: unknown, context: Context, depth: number): Json {
  const schema = (typeof value === 'object' && value !== null ? value : {}) as Schema;
  if (schema['const'] !== undefined) return schema['const'] as Json;
  const choices = listAt(schema, 'enum');
  if (choices.length > 0) return context.random.pick(choices) as Json;
  const alternatives = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')];
  if (alternatives.length > 0) {
    const others = { ...schema, anyOf: [], oneOf: [] };
    return mergeObjects(generate(context.random.pick(alternatives), context, depth), others, context, depth);
  }
  const types = Array.isArray(schema['type']) ? (schema['type'] as string[]) : [schema['type'] as string | undefined];
  return generateType(context.random.pick(types) ?? typeOf(schema), schema, context, depth);
}

/** Adds the members of the schema around alternatives. */
const mergeObjects = (value: Json, schema: Schema, context: Context, depth: number): Json =>
  schema['properties'] && isObject(value)
    ? { ...(generate({ type: 'object', ...schema }, context, depth) as object), ...value }
    : value;

const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (schema: Schema): string => (schema['properties'] ? 'object' : schema['items'] ? 'array' : 'string');

function generateType(type: string, schema: Schema, context: Context, depth: number): Json {
  switch (type) {
    case 'object':
      return generateObject(schema, context, depth);
    case 'array': {
      const [min, max] = [numberAt(schema, 'minItems') ?? 1, numberAt(schema, 'maxItems') ?? 3];
      const length = Math.max(min, Math.min(max, 1 + context.random.nextIntegerBelow(2)));
      return Array.from({ length }, () => generate(schema['items'], context, depth + 1));
    }
    case 'integer':
    case 'number':
      return generateNumber(type, schema, context.random);
    case 'boolean':
      return context.random.nextIntegerBelow(2) === 0;
    case 'null':
      return null;
    default:
      return generateText(schema, context.random);
  }
}

function generateObject(schema: Schema, context: Context, depth: number): Json {
  const required = listAt(schema, 'required') as readonly string[];
  const properties = Object.entries((schema['properties'] ?? {}) as Schema);
  const optionalShare = depth > 3 ? 0 : context.optionalShare;
  const chosenProperties = properties.filter(
    ([name]) => required.includes(name) || context.random.nextFraction() < optionalShare,
  );
  // An object without members is not sent in a query.
  const members = (chosenProperties.length > 0 || depth === 0 ? chosenProperties : properties.slice(0, 1)).map(
    ([name, property]) => [name, generate(property, context, depth + 1)] as const,
  );
  const others = schema['additionalProperties'];
  const entry =
    isObject(others) && properties.length === 0 ? [['key', generate(others, context, depth + 1)] as const] : [];
  return Object.fromEntries([...members, ...entry]);
}

function generateNumber(type: string, schema: Schema, random: SeededRandom): number {
  const step = numberAt(schema, 'multipleOf') ?? (type === 'integer' ? 1 : 0.5);
  const low = numberAt(schema, 'minimum') ?? (numberAt(schema, 'exclusiveMinimum') ?? -step) + step;
  const high = numberAt(schema, 'maximum') ?? (numberAt(schema, 'exclusiveMaximum') ?? low + 101 * step) - step;
  const steps = Math.max(0, Math.min(100, Math.floor((high - low) / step)));
  const value = Math.ceil(low / step) * step + random.nextIntegerBelow(steps + 1) * step;
  return type === 'integer' ? Math.round(value) : value;
}

const formats: Readonly<Record<string, string>> = {
  date: '2024-05-06',
  'date-time': '2024-05-06T07:08:09Z',
  time: '07:08:09Z',
  duration: 'P1DT2H',
  email: 'ada@things.example',
  hostname: 'things.example',
  ipv4: '192.0.2.7',
  ipv6: '2001:db8::7',
  uri: 'https://things.example/a?b=1',
  url: 'https://things.example/a?b=1',
  'uri-reference': '/a?b=1',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  byte: 'AAH/',
  binary: 'AAH/',
  base64: 'AAH/',
};

/** Also characters that URLs, forms, JSON and shells treat specially. */
const words = [
  'plain',
  'two words',
  'a&b=c',
  'x/y?z#1',
  '50%',
  "it's",
  'a+b',
  'ünï',
  '"quoted"',
  '{x}',
  '$HOME',
  'a;b,c',
];

function generateText(schema: Schema, random: SeededRandom): string {
  const pattern = typeof schema['pattern'] === 'string' ? schema['pattern'] : null;
  const [min, max] = [
    numberAt(schema, 'minLength') ?? (pattern === null ? 1 : 0),
    numberAt(schema, 'maxLength') ?? 1_000,
  ];
  const fit = (text: string): string => [...text.padEnd(Math.min(min, 10_000), text)].slice(0, max).join('');
  const isFile = schema['contentMediaType'] !== undefined || schema['contentEncoding'] === 'base64';
  const word = random.nextFraction() < 0.5 ? 'plain' : random.pick(words);
  const generated = pattern === null ? fit(word) : fit(generateMatch(pattern, random) ?? word);
  const candidates = [
    formats[schema['format'] as string],
    isFile ? 'AAH/' : undefined,
    generated,
    ...listAt(schema, 'examples'),
  ];
  const accepted = candidates.find(
    (text): text is string =>
      typeof text === 'string' && (pattern === null || matches(pattern, text)) && fit(text) === text,
  );
  return accepted ?? generated;
}

const matches = (pattern: string, text: string): boolean => {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
};

/** Returns a text that matches a pattern; null if fast-check cannot generate one. */
function generateMatch(pattern: string, random: SeededRandom): string | null {
  try {
    const [text] = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), {
      numRuns: 1,
      seed: random.nextIntegerBelow(2 ** 31),
    });
    return text ?? null;
  } catch {
    // The pattern uses syntax that fast-check does not support; the caller validates the arguments.
    return null;
  }
}

const listAt = (schema: Schema, name: string): readonly unknown[] =>
  Array.isArray(schema[name]) ? (schema[name] as unknown[]) : [];
const numberAt = (schema: Schema, name: string): number | undefined =>
  typeof schema[name] === 'number' ? schema[name] : undefined;
