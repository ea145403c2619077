import type { Json } from '../json.ts';
import type { DocumentPath } from './document.ts';

export type JsonObject = { readonly [key: string]: Json };

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The object's own member of that name: a document may well hold keys such as `toString` or `__proto__`. */
export const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The value at that place, by names of members and places in lists; undefined where there is none. */
export const valueAt = (document: Json, path: DocumentPath): Json | undefined => {
  let value: Json | undefined = document;
  for (const token of path) {
    if (isJsonArray(value)) value = /^(0|[1-9]\d*)$/.test(`${token}`) ? value[Number(token)] : undefined;
    else value = memberOf(value, `${token}`);
  }
  return value;
};

/** No document that is taken nests deeper (specification, section 1). */
const levelsMax = 100;

/**
 * The place that a reference within the same document names by a JSON Pointer in its fragment (RFC 6901, section 6), whether
 * there is something or not; undefined for an external address, and where it is no pointer that can name anything.
 */
export function localPath(reference: string): DocumentPath | undefined {
  if (reference === '#') return [];
  if (!reference.startsWith('#/')) return undefined;
  const parts = reference.slice(2).split('/', levelsMax + 1);
  const tokens = parts.map((part) => percentDecoded(part)?.replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.length > levelsMax || !tokens.every((token) => token !== undefined) ? undefined : tokens;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // A stray percent sign: the reference names nothing.
  }
}
