import type { Json, JsonObject } from '@portico/domain';

/** A few values that a schema without references may accept, by what it says, and changed ones that it may refuse. */
export function sampleValues(schema: Json): Json[] {
  const whole = sampleOf(schema, { all: true, deep: 0 });
  const least = sampleOf(schema, { all: false, deep: 0 });
  return [whole, least, ...mutationsOf(whole), ...mutationsOf(least), null, 'text', 1.5, -1, [], {}].slice(0, 80);
}

interface How {
  /** Whether optional members are there too. */
  readonly all: boolean;
  readonly deep: number;
}

function sampleOf(value: Json, how: How): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || how.deep > 8) return 'x';
  const schema = value as JsonObject;
  const inside = { ...how, deep: how.deep + 1 };
  if (schema['const'] !== undefined) return schema['const'];
  const [choice] = listed(schema['enum']);
  if (choice !== undefined) return choice;
  const parts = [
    ...listed(schema['allOf']),
    ...listed(schema['oneOf']).slice(0, 1),
    ...listed(schema['anyOf']).slice(0, 1),
  ];
  const merged = parts.map((part) => sampleOf(part, inside));
  const objects = merged.filter(
    (one): one is JsonObject => typeof one === 'object' && one !== null && !Array.isArray(one),
  );
  const properties = schema['properties'];
  if (typeof properties === 'object' && properties !== null) {
    const required = listed(schema['required']);
    const members = Object.entries(properties as JsonObject).filter(([name]) => how.all || required.includes(name));
    const own = Object.fromEntries(members.map(([name, one]) => [name, sampleOf(one, inside)]));
    return Object.assign({}, ...objects, own) as JsonObject;
  }
  if (merged.length > 0)
    return objects.length > 0 ? (Object.assign({}, ...objects) as JsonObject) : (merged[0] ?? null);
  return simple(schema, inside);
}

function simple(schema: JsonObject, how: How): Json {
  const [type] = typeof schema['type'] === 'string' ? [schema['type']] : listed(schema['type']);
  const least = (name: string): number => (typeof schema[name] === 'number' ? schema[name] : 0);
  switch (type) {
    case 'object':
      return {
        some: typeof schema['additionalProperties'] === 'object' ? sampleOf(schema['additionalProperties'], how) : 'x',
      };
    case 'array':
      return schema['items'] === undefined ? [] : [sampleOf(schema['items'], how)];
    case 'integer':
    case 'number':
      return schema['exclusiveMinimum'] === undefined ? least('minimum') : least('exclusiveMinimum') + 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'x'.repeat(Math.min(1_000, Math.max(1, least('minLength'))));
  }
}

const listed = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Each change is of one place. */
function mutationsOf(value: Json, deep = 0): Json[] {
  if (deep > 3 || typeof value !== 'object' || value === null) return [null, 12_345_678_901, 'another', -3.5, [value]];
  if (Array.isArray(value)) {
    const items = value as Json[];
    return [
      null,
      [],
      [...items, ...items],
      ...items.slice(0, 1).flatMap((one) => mutationsOf(one, deep + 1).map((other) => [other])),
    ];
  }
  const object = value as JsonObject;
  const found: Json[] = [{ ...object, unheardOf: 1 }];
  for (const name of Object.keys(object).slice(0, 12)) {
    found.push(Object.fromEntries(Object.entries(object).filter(([other]) => other !== name)));
    for (const other of mutationsOf(object[name] ?? null, deep + 1).slice(0, 6))
      found.push({ ...object, [name]: other });
  }
  return found;
}
