import { memberOf } from '../../documents/document-value.ts';
import { isJsonArray, isJsonObject, type Json } from '../../json.ts';

/** Returns the name of an alternative: its reference. */
export const nameOf = (member: Json): string | null => {
  const reference = memberOf(member, '$ref');
  return typeof reference === 'string' ? reference : null;
};

/**
 * Returns a name for people: that of the referenced schema, the title, the only value, that of a member, or the
 * position.
 */
export const labelOf = (member: Json, index: number): string => {
  const reference = nameOf(member);
  if (reference !== null) return reference.split('/').at(-1) ?? reference;
  const title = memberOf(member, 'title');
  if (typeof title === 'string' && title.trim() !== '') return title.trim();
  const properties = memberOf(member, 'properties');
  const candidates = [member, ...(isJsonObject(properties) ? Object.values(properties) : [])];
  return candidates.map(onlyValueOf).find((value) => value !== null) ?? `${index + 1}`;
};

/** Returns the only value of a schema as JSON; null if it may have others. */
const onlyValueOf = (schema: Json): string | null => {
  const values = memberOf(schema, 'enum');
  const value = memberOf(schema, 'const') ?? (isJsonArray(values) && values.length === 1 ? values[0] : undefined);
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : null;
};
