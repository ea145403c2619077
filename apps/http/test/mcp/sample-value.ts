import { isJsonArray, isJsonObject, type Json, type JsonObject } from '@portico/domain';

/** Returns the simplest value that a JSON Schema allows, with only the required members. */
export const sampleOf = (schema: Json | undefined): Json => {
  if (!isJsonObject(schema)) return 'x';
  for (const keyword of ['const', 'example', 'default'] as const) {
    const value = schema[keyword];
    if (value !== undefined && value !== null) return value;
  }
  const [firstValue] = [schema['enum'], schema['examples']].flatMap(listOf);
  if (firstValue !== undefined) return firstValue;
  const [firstOption] = [schema['oneOf'], schema['anyOf']].flatMap(listOf);
  if (firstOption !== undefined && schema['properties'] === undefined) return sampleOf(firstOption);
  return ofType(schema);
};

const listOf = (value: Json | undefined): readonly Json[] => (value !== undefined && isJsonArray(value) ? value : []);

const ofType = (schema: JsonObject): Json => {
  const { type = 'object' } = schema;
  switch (isJsonArray(type) ? type[0] : type) {
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return true;
    case 'array':
      return [sampleOf(schema['items'])];
    case 'object':
      return objectOf(schema);
    default:
      return textIn(schema);
  }
};

const objectOf = ({ allOf, properties, required }: JsonObject): Json => {
  const parts = listOf(allOf).map(sampleOf);
  const requiredValues = listOf(required)
    .map(String)
    .map((name) => [name, sampleOf(isJsonObject(properties) ? properties[name] : undefined)] as const);
  return Object.assign({}, ...parts.filter(isJsonObject), Object.fromEntries(requiredValues)) as JsonObject;
};

const strings: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00Z',
  uuid: '11111111-1111-4111-8111-111111111111',
  email: 'someone@example.com',
  uri: 'https://example.com/',
};

const textIn = ({ format, minLength, pattern }: JsonObject): string => {
  // An id of Twilio, such as ^AC[0-9a-fA-F]{32}$.
  const [, prefix] = /^\^([A-Z]{2})\[0-9a-fA-F\]\{32\}\$$/.exec(typeof pattern === 'string' ? pattern : '') ?? [];
  if (prefix !== undefined) return prefix + '0'.repeat(32);
  const text = (typeof format === 'string' ? strings[format] : undefined) ?? 'x';
  return typeof minLength === 'number' ? text.padEnd(Math.min(minLength, 1_000), 'x') : text;
};
