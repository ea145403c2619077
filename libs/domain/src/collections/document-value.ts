import type { Json } from '../json.ts';

export type JsonObject = { readonly [key: string]: Json };

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** The object's own member of that name: a document may well hold keys such as `toString` or `__proto__`. */
export const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Whether every database can keep the text: a document may well hold U+0000 and lone surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/**
 * The value that a reference within the same document names by a JSON Pointer in its fragment (RFC 6901, section 6);
 * undefined where it names nothing here: an external address, a name that does not exist, or no pointer at all.
 */
export function localTarget(document: Json, reference: string): Json | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let target: Json | undefined = document;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const token = percentDecoded(part)?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (token === undefined) return undefined;
    target = isJsonArray(target)
      ? /^(0|[1-9]\d*)$/.test(token)
        ? target[Number(token)]
        : undefined
      : memberOf(target, token);
  }
  return target;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // A stray percent sign: the reference names nothing.
  }
}
