import { hasAtMost } from '../characters.ts';
import { baseUrlMax } from '../collections/collection-texts.ts';
import { isJsonArray, type Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import { memberOf } from './document-value.ts';
import type { DerivedFact } from './document.ts';

/**
 * Returns the base URL of a document's API: its first `servers` entry, with variables replaced by their defaults
 * (specification, section 4). A relative URL remains relative; a variable without a default is left in its braces.
 * Returns `/` for a missing or empty URL and, with a warning, for one that is longer than `baseUrlMax` or not a plain
 * line.
 */
export function baseUrlOf(document: Json): DerivedFact<string> {
  const servers = memberOf(document, 'servers');
  const server = isJsonArray(servers) ? servers[0] : undefined;
  const url = memberOf(server, 'url');
  if (typeof url !== 'string') return { value: '/' };
  const baseUrl = replaceVariables(url.trim(), memberOf(server, 'variables'))?.trim();
  if (baseUrl === undefined || !hasAtMost(baseUrl, baseUrlMax)) {
    return withoutBaseUrl(`must have at most ${baseUrlMax} characters, its variables replaced, to be the base address`);
  }
  if (!isPlainLine(baseUrl)) {
    return withoutBaseUrl(
      'must be one line without control characters, its variables replaced, to be the base address',
    );
  }
  return { value: baseUrl || '/' };
}

const withoutBaseUrl = (message: string): DerivedFact<string> => ({
  value: '/',
  violation: { path: ['servers', 0, 'url'], message },
});

/** The maximum length of the result, in UTF-16 units; a character has up to two. */
const unitsMax = 2 * baseUrlMax;

/**
 * Replaces variables in one pass, so that braces in a default are not expanded. Returns undefined as soon as the result
 * is too long: a short URL can repeat a long default any number of times.
 */
function replaceVariables(url: string, variables: Json | undefined): string | undefined {
  let result = '';
  /** The number of UTF-16 units of the URL copied so far, and the position of the last opening brace. */
  let copied = 0;
  let open = -1;
  for (const { 0: brace, index } of url.matchAll(/[{}]/g)) {
    if (brace === '{') {
      open = index;
      continue;
    }
    const value = open < copied ? undefined : defaultOf(variables, url.slice(open + 1, index));
    if (value !== undefined) {
      result += url.slice(copied, open) + value;
      copied = index + 1;
    }
    open = -1;
    if (result.length + (index + 1 - copied) > unitsMax) return undefined;
  }
  return result.length + (url.length - copied) > unitsMax ? undefined : result + url.slice(copied);
}

function defaultOf(variables: Json | undefined, name: string): string | undefined {
  const value = memberOf(memberOf(variables, name), 'default');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
}
