import { hasAtMost } from '../characters.ts';
import { baseUrlMax } from '../collections/collection-texts.ts';
import { isJsonArray, type Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import { memberOf } from './document-value.ts';
import type { DerivedFact } from './document.ts';

/**
 * Returns the base address of a document's API: its first `servers` entry, variables replaced by their defaults
 * (specification, section 4). A relative address stays relative; a variable that has no default stays in its braces.
 * Returns `/` for a missing or empty address and, with a warning, for one longer than `baseUrlMax` or not a plain line.
 */
export function baseUrlOf(document: Json): DerivedFact<string> {
  const servers = memberOf(document, 'servers');
  const server = isJsonArray(servers) ? servers[0] : undefined;
  const url = memberOf(server, 'url');
  if (typeof url !== 'string') return { value: '/' };
  const address = replaced(url.trim(), memberOf(server, 'variables'))?.trim();
  if (address === undefined || !hasAtMost(address, baseUrlMax)) {
    return withoutAddress(`must have at most ${baseUrlMax} characters, its variables replaced, to be the base address`);
  }
  if (!isPlainLine(address)) {
    return withoutAddress(
      'must be one line without control characters, its variables replaced, to be the base address',
    );
  }
  return { value: address || '/' };
}

const withoutAddress = (message: string): DerivedFact<string> => ({
  value: '/',
  violation: { path: ['servers', 0, 'url'], message },
});

/** In UTF-16 units, of which a character takes up to two. */
const unitsMax = 2 * baseUrlMax;

/**
 * Replaces variables in one pass, so that braces in a default are not expanded. Returns undefined as soon as the result
 * is too long: a short url can repeat a long default any number of times.
 */
function replaced(url: string, variables: Json | undefined): string | undefined {
  let address = '';
  /** How much of the url was copied, and where the last brace opened. */
  let taken = 0;
  let open = -1;
  for (const { 0: brace, index } of url.matchAll(/[{}]/g)) {
    if (brace === '{') {
      open = index;
      continue;
    }
    const value = open < taken ? undefined : defaultOf(variables, url.slice(open + 1, index));
    if (value !== undefined) {
      address += url.slice(taken, open) + value;
      taken = index + 1;
    }
    open = -1;
    if (address.length + (index + 1 - taken) > unitsMax) return undefined;
  }
  return address.length + (url.length - taken) > unitsMax ? undefined : address + url.slice(taken);
}

function defaultOf(variables: Json | undefined, name: string): string | undefined {
  const value = memberOf(memberOf(variables, name), 'default');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
}
