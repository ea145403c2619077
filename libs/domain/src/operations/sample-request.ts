import { appendQuery } from './build-request.ts';
import type { ApiCredential } from './credentials.ts';
import type { WireRequest } from './http-request.ts';
import { toAbsoluteUrl, toCredentialValue, toToken } from './operation-curl.ts';
import { percentEncode } from './parameter-styles.ts';
import type { PreparedRequest } from './prepare-request.ts';

/** A request with placeholders for its credentials. */
export interface SampleRequest extends WireRequest {
  readonly method: string;
  /** Absolute; without a host in the document, it contains a placeholder for one. */
  readonly url: string;
}

/**
 * Returns a prepared request with the placeholders of its command line (`printCurl`) in the places of its credentials;
 * null if its URL has a protocol other than HTTP. No two headers have the same name.
 */
export function toSampleRequest({ method, url, headers, body, credentials }: PreparedRequest): SampleRequest | null {
  const placeholders = credentials.flatMap((credential) => toCredentialValue(credential, credentials));
  const pairsIn = (location: ApiCredential['in']) =>
    placeholders.filter((placeholder) => placeholder.in === location).map(({ name, value }) => [name, value] as const);
  const absoluteUrl = toAbsoluteUrl(
    appendQuery(
      url,
      pairsIn('query').map(([name, value]) => [percentEncode(name), value]),
    ),
  );
  if (absoluteUrl === null) return null;
  const fields = new Map<string, readonly [name: string, value: string]>();
  // A value that the caller sets replaces the placeholder of the same header.
  for (const [name, value] of [...pairsIn('header'), ...headers])
    fields.set(name.toLowerCase(), [toToken(name), value]);
  const cookies = pairsIn('cookie').map(([name, value]) => `${name}=${value}`);
  if (cookies.length > 0)
    fields.set('cookie', ['Cookie', [...(fields.get('cookie')?.slice(1) ?? []), ...cookies].join('; ')]);
  // Clients reject a body with HEAD, which has no meaning (RFC 9110, section 9.3.2).
  const isHead = method === 'HEAD';
  if (isHead) fields.delete('content-type');
  return { method, url: absoluteUrl, headers: [...fields.values()], body: isHead ? null : body };
}
