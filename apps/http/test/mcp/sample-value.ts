import { isJsonObject, type Json, type JsonObject } from '@portico/domain';

/** Returns the plainest value that a JSON Schema allows, with the required members alone. */
export const sampleOf = (schema: Json | undefined): Json => {
  if (!isJsonObject(schema)) return 'x';
  for (const given of ['const', 'example', 'default'] as const) {
    const value = schema[given];
    if (value !== undefined && value !== null) return value;
  }
  const { enum: allowed, examples } = schema;
  if (Array.isArray(allowed)) return allowed[0] as Json;
  if (Array.isArray(examples)) return examples[0] as Json;
  const [first] = [schema['oneOf'], schema['anyOf']].flatMap((options) => (Array.isArray(options) ? options : []));
  if (first !== undefined && schema['properties'] === undefined) return sampleOf(first as Json);
  return ofType(schema);
};

const ofType = (schema: JsonObject): Json => {
  const { type } = schema;
  switch (Array.isArray(type) ? type[0] : (type ?? 'object')) {
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

const objectOf = (schema: JsonObject): Json => {
  const parts = Array.isArray(schema['allOf']) ? (schema['allOf'] as readonly Json[]).map(sampleOf) : [];
  const { properties, required } = schema;
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  const own = names.map((name) => [name, sampleOf(isJsonObject(properties) ? properties[name] : undefined)] as const);
  return Object.assign({}, ...parts.filter(isJsonObject), Object.fromEntries(own)) as JsonObject;
};

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00Z',
  uuid: '11111111-1111-4111-8111-111111111111',
  email: 'someone@example.com',
  uri: 'https://example.com/',
};

const textIn = ({ format, minLength }: JsonObject): string => {
  const text = (typeof format === 'string' ? texts[format] : undefined) ?? 'x';
  return typeof minLength === 'number' ? text.padEnd(Math.min(minLength, 1_000), 'x') : text;
};
