import { hasAtMostCharacters } from '../characters.ts';
import { baseUrlMax } from '../collections/collection-texts.ts';
import { isJsonArray, type Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import { memberOf } from './document-value.ts';
import type { DerivedValue } from './document.ts';

/**
 * Returns the base URL of a document's API: its first `servers` entry, with variables replaced by their defaults
 * (specification, section 4). A relative URL remains relative; a variable without a default is left in its braces.
 * Returns `/` for a missing or empty URL and, with a warning, for one that is longer than `baseUrlMax` or not a plain
 * line.
 */
export function baseUrlOf(document: Json): DerivedValue<string> {
  const servers = memberOf(document, 'servers');
  const server = isJsonArray(servers) ? servers[0] : undefined;
  const url = memberOf(server, 'url');
  if (typeof url !== 'string') return { value: '/' };
  const baseUrl = replaceVariables(url.trim(), memberOf(server, 'variables'))?.trim();
  if (baseUrl === undefined || !hasAtMostCharacters(baseUrl, baseUrlMax)) {
    return rejectBaseUrl(
      `must have at most ${baseUrlMax} characters after variables are replaced, to be used as the base URL`,
    );
  }
  if (!isPlainLine(baseUrl)) {
    return rejectBaseUrl(
      'must be one line without control characters after variables are replaced, to be used as the base URL',
    );
  }
  return { value: baseUrl || '/' };
}

const rejectBaseUrl = (message: string): DerivedValue<string> => ({
  value: '/',
  violation: { path: ['servers', 0, 'url'], message },
});

/** The maximum length of the result, in UTF-16 units; a character has up to two. */
const lengthMax = 2 * baseUrlMax;

/**
 * Replaces variables in one pass, so that braces in a default are not expanded. Returns undefined as soon as the result
 * is too long: a short URL can repeat a long default any number of times.
 */
function replaceVariables(url: string, variables: Json | undefined): string | undefined {
  let result = '';
  /** The number of UTF-16 units of the URL copied so far, and the position of the last opening brace. */
  let copiedUntil = 0;
  let openIndex = -1;
  for (const { 0: brace, index } of url.matchAll(/[{}]/g)) {
    if (brace === '{') {
      openIndex = index;
      continue;
    }
    const value = openIndex < copiedUntil ? undefined : defaultOf(variables, url.slice(openIndex + 1, index));
    if (value !== undefined) {
      result += url.slice(copiedUntil, openIndex) + value;
      copiedUntil = index + 1;
    }
    openIndex = -1;
    if (result.length + (index + 1 - copiedUntil) > lengthMax) return undefined;
  }
  return result.length + (url.length - copiedUntil) > lengthMax ? undefined : result + url.slice(copiedUntil);
}

function defaultOf(variables: Json | undefined, name: string): string | undefined {
  const value = memberOf(memberOf(variables, name), 'default');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
}
