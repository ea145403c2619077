import { originsMax } from '../collections/collection-texts.ts';
import { listDocumentOperations } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { ServerSettings } from './call-settings.ts';
import { textAt } from './operation-parts.ts';
import { resolveObject } from './references.ts';
import { joinUrl, serversOf } from './servers.ts';

/** The parser of the WHATWG, which every runtime has and the types of ECMAScript do not. */
declare const URL: { new (text: string): { readonly origin: string }; canParse(text: string): boolean };

/**
 * Returns the origin of a URL that a call can be sent to: its scheme, host and port, in the form that the URL standard of
 * the WHATWG normalises them to. Null for any other text, and for a host that contains a variable without a value.
 */
export const originOf = (url: string): string | null => {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  const { origin } = new URL(url);
  return /[{}]/.test(origin) ? null : origin;
};

/**
 * Returns the origins of all addresses that calls of a document may go to (extensions, section 7): its servers, those of
 * its paths and operations, and the token addresses of its OAuth flows. Sorted; the first `originsMax` of a document with
 * more, those of the document and the token addresses before those of operations.
 */
export function originsOf(document: Json, settings: ServerSettings): readonly string[] {
  const urls = new Set<string>();
  const origins = new Set<string>();
  for (const url of listAddresses(document, settings)) {
    if (urls.has(url)) continue;
    urls.add(url);
    const origin = originOf(url);
    if (origin !== null) origins.add(origin);
    if (origins.size === originsMax) break;
  }
  return [...origins].sort();
}

function* listAddresses(document: Json, settings: ServerSettings): Generator<string> {
  const noOperation = { method: '', path: '', pathItem: {}, operation: {} };
  for (const { url } of serversOf(document, noOperation, settings)) yield joinUrl(url, '').url;
  yield* listTokenAddresses(document);
  for (const operation of listDocumentOperations(document))
    for (const { url } of serversOf(document, operation, settings)) yield joinUrl(url, '').url;
}

/** A relative token address is resolved with a server, so its origin is that server's. */
function* listTokenAddresses(document: Json): Generator<string> {
  const schemes = memberOf(memberOf(document, 'components'), 'securitySchemes');
  for (const scheme of isJsonObject(schemes) ? Object.values(schemes) : []) {
    const flows = memberOf(resolveObject(document, scheme) ?? {}, 'flows');
    for (const flow of isJsonObject(flows) ? Object.values(flows) : []) {
      const url = isJsonObject(flow) ? textAt(flow, 'tokenUrl') : null;
      if (url !== null) yield joinUrl(url.trim(), '').url;
    }
  }
}
