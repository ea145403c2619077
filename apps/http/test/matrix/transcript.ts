import type { Reply } from '../reply.ts';
import type { Endpoint } from './endpoint.ts';
import type { World } from './world.ts';

/** A response, reduced to the parts that must be the same in every composition. */
export interface Line {
  readonly status: number;
  readonly body: unknown;
}

type Options = Pick<Endpoint, 'volatileFields' | 'dependsOnComposition'>;

export const lineOf = (
  { status, text }: Reply,
  world: World,
  { volatileFields = [], dependsOnComposition }: Options,
): Line => {
  if (dependsOnComposition && status < 300) return { status, body: 'of the composition' };
  return { status, body: normalize(parse(text), world, new Set(volatileFields)) };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** Replaces identifiers, times and secrets with words; returns only the shared entries of a list, in a fixed order. */
const normalize = (value: unknown, world: World, volatileFields: ReadonlySet<string>): unknown => {
  if (typeof value === 'string') return normalizeText(value, world);
  if (Array.isArray(value)) {
    return value
      .filter((entry) => isShared(entry, world))
      .map((entry) => normalize(entry, world, volatileFields))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      volatileFields.has(name)
        ? 'varies'
        : name === 'id' && typeof member === 'number'
          ? 'a number'
          : normalize(member, world, volatileFields),
    ]),
  );
};

const isShared = (entry: unknown, { names, tier }: World): boolean => {
  if (typeof entry !== 'object' || entry === null) return true;
  const fields = entry as Readonly<Record<string, unknown>>;
  // A group also has a tier, which may be shared even if the group is not.
  const key = fields.collection_id ?? fields.client_id ?? fields.id ?? fields.profile_id ?? fields.tier;
  if ('message' in fields) return true;
  return key === tier || (typeof key === 'string' && names.has(key));
};

const normalizeText = (text: string, { names }: World): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => names.get(id) ?? 'an id')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'a time')
    .replace(/portico_s[ak]_\w+|whsec_[A-Za-z0-9+/]{43}=/g, 'a secret')
    .replace(/^http:\/\/127\.0\.0\.1:\d+$/, 'the address of an API')
    .replace(/fresh-\d+/g, 'fresh-name');
