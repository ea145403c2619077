import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import type { DocumentPath } from './document.ts';

/** Returns the object's own member with that name: a document may contain keys such as `toString` or `__proto__`. */
export const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Returns the value at that path of member names and array indexes; undefined if there is none. */
export const valueAt = (document: Json, path: DocumentPath): Json | undefined => {
  let value: Json | undefined = document;
  for (const token of path) {
    if (isJsonArray(value)) value = /^(0|[1-9]\d*)$/.test(`${token}`) ? value[Number(token)] : undefined;
    else value = memberOf(value, `${token}`);
  }
  return value;
};

/** The maximum nesting of an accepted document (specification, section 1). */
const levelsMax = 100;

/**
 * Returns the path of a local reference, from the JSON Pointer in its fragment (RFC 6901, section 6), whether or not
 * anything is there; undefined for an external reference and for a pointer that cannot refer to anything.
 */
export function localPathOf(reference: string): DocumentPath | undefined {
  if (reference === '#') return [];
  if (!reference.startsWith('#/')) return undefined;
  const segments = reference.slice(2).split('/', levelsMax + 1);
  const tokens = segments.map((segment) => decodePercent(segment)?.replaceAll('~1', '/').replaceAll('~0', '~'));
  return segments.length > levelsMax || !tokens.every((token) => token !== undefined) ? undefined : tokens;
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // A stray percent sign: the reference has no target.
  }
}
