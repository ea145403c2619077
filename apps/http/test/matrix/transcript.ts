import type { Reply } from '../reply.ts';
import type { Endpoint } from './endpoint.ts';
import type { World } from './world.ts';

/** An answer, reduced to what must be the same in every composition. */
export interface Line {
  readonly status: number;
  readonly body: unknown;
}

type Facts = Pick<Endpoint, 'volatile' | 'ofComposition'>;

export const lineOf = ({ status, text }: Reply, world: World, { volatile = [], ofComposition }: Facts): Line => {
  if (ofComposition && status < 300) return { status, body: 'of the composition' };
  return { status, body: told(parsed(text), world, new Set(volatile)) };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** Replaces identifiers, times and secrets with words; keeps only the standing entries of a list, in a fixed order. */
const told = (value: unknown, world: World, volatile: ReadonlySet<string>): unknown => {
  if (typeof value === 'string') return toldText(value, world);
  if (Array.isArray(value)) {
    return value
      .filter((entry) => stands(entry, world))
      .map((entry) => told(entry, world, volatile))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      volatile.has(name)
        ? 'varies'
        : name === 'id' && typeof member === 'number'
          ? 'a number'
          : told(member, world, volatile),
    ]),
  );
};

const stands = (entry: unknown, { names, tier }: World): boolean => {
  if (typeof entry !== 'object' || entry === null) return true;
  const facts = entry as Readonly<Record<string, unknown>>;
  // A group has a tier of its own, which may stand though the group does not.
  const own = facts.collection_id ?? facts.client_id ?? facts.id ?? facts.profile_id ?? facts.tier;
  if ('message' in facts) return true;
  return own === tier || (typeof own === 'string' && names.has(own));
};

const toldText = (text: string, { names }: World): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => names.get(id) ?? 'an id')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'a time')
    .replace(/portico_s[ak]_\w+/g, 'a secret')
    .replace(/fresh-\d+/g, 'fresh-name');
