import type { Json } from '../json.ts';
import { isJsonArray, isStorable, memberOf } from './document-value.ts';

/**
 * The address that calls to a document's API begin with: its first `servers` entry, variables replaced by their
 * defaults; `/` where there is none, an empty one, or one that cannot be kept (specification, section 4). A relative address
 * stays relative, and a variable that is not declared, or has no default, stays in its braces.
 */
export function baseUrlOf(document: Json): string {
  const servers = memberOf(document, 'servers');
  const server = isJsonArray(servers) ? servers[0] : undefined;
  const url = memberOf(server, 'url');
  if (typeof url !== 'string') return '/';
  const variables = memberOf(server, 'variables');
  // One pass: what a default brings in is not looked at again.
  const address = url.replace(/\{([^{}]*)\}/g, (braced, name: string) => {
    const value = memberOf(memberOf(variables, name), 'default');
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : braced;
  });
  return isStorable(address) ? address.trim() || '/' : '/';
}
