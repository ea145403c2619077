import type { Json, JsonObject } from '@portico/domain';

/** Returns values that a schema without references may accept, and mutations that it may reject. */
export function sampleValues(schema: Json): Json[] {
  const completeSample = sampleOf(schema, { includesOptional: true, depth: 0 });
  const minimalSample = sampleOf(schema, { includesOptional: false, depth: 0 });
  return [
    completeSample,
    minimalSample,
    ...mutationsOf(completeSample),
    ...mutationsOf(minimalSample),
    null,
    'text',
    1.5,
    -1,
    [],
    {},
  ].slice(0, 80);
}

interface SampleOptions {
  /** Whether the sample includes optional members. */
  readonly includesOptional: boolean;
  readonly depth: number;
}

function sampleOf(value: Json, options: SampleOptions): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || options.depth > 8) return 'x';
  const schema = value as JsonObject;
  const partOptions = { ...options, depth: options.depth + 1 };
  if (schema['const'] !== undefined) return schema['const'];
  const [choice] = toArray(schema['enum']);
  if (choice !== undefined) return choice;
  const parts = [
    ...toArray(schema['allOf']),
    ...toArray(schema['oneOf']).slice(0, 1),
    ...toArray(schema['anyOf']).slice(0, 1),
  ];
  const partSamples = parts.map((part) => sampleOf(part, partOptions));
  const objects = partSamples.filter(
    (sample): sample is JsonObject => typeof sample === 'object' && sample !== null && !Array.isArray(sample),
  );
  const properties = schema['properties'];
  if (typeof properties === 'object' && properties !== null) {
    const required = toArray(schema['required']);
    const members = Object.entries(properties as JsonObject).filter(
      ([name]) => options.includesOptional || required.includes(name),
    );
    const ownMembers = Object.fromEntries(members.map(([name, property]) => [name, sampleOf(property, partOptions)]));
    return Object.assign({}, ...objects, ownMembers) as JsonObject;
  }
  if (partSamples.length > 0)
    return objects.length > 0 ? (Object.assign({}, ...objects) as JsonObject) : (partSamples[0] ?? null);
  return primitiveOf(schema, partOptions);
}

function primitiveOf(schema: JsonObject, options: SampleOptions): Json {
  const [type] = typeof schema['type'] === 'string' ? [schema['type']] : toArray(schema['type']);
  const minimumOf = (name: string): number => (typeof schema[name] === 'number' ? schema[name] : 0);
  switch (type) {
    case 'object':
      return {
        some:
          typeof schema['additionalProperties'] === 'object' ? sampleOf(schema['additionalProperties'], options) : 'x',
      };
    case 'array':
      return schema['items'] === undefined ? [] : [sampleOf(schema['items'], options)];
    case 'integer':
    case 'number':
      return schema['exclusiveMinimum'] === undefined ? minimumOf('minimum') : minimumOf('exclusiveMinimum') + 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'x'.repeat(Math.min(1_000, Math.max(1, minimumOf('minLength'))));
  }
}

const toArray = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Returns mutations of a value, each of which changes one place. */
function mutationsOf(value: Json, depth = 0): Json[] {
  if (depth > 3 || typeof value !== 'object' || value === null) return [null, 12_345_678_901, 'another', -3.5, [value]];
  if (Array.isArray(value)) {
    const items = value as Json[];
    return [
      null,
      [],
      [...items, ...items],
      ...items.slice(0, 1).flatMap((item) => mutationsOf(item, depth + 1).map((mutation) => [mutation])),
    ];
  }
  const object = value as JsonObject;
  const mutations: Json[] = [{ ...object, unheardOf: 1 }];
  for (const name of Object.keys(object).slice(0, 12)) {
    mutations.push(Object.fromEntries(Object.entries(object).filter(([otherName]) => otherName !== name)));
    for (const mutation of mutationsOf(object[name] ?? null, depth + 1).slice(0, 6))
      mutations.push({ ...object, [name]: mutation });
  }
  return mutations;
}
