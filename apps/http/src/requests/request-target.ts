import type { IncomingMessage } from 'node:http';

/** The characters of a host, registered or literal, with a port (RFC 3986, section 3.2). */
const hostPattern = /^[A-Za-z0-9._~!$&'()*+,;=%:[\]-]+$/;

/** Whether a request contains exactly one valid host (RFC 9112, section 3.2). In HTTP/1.0, the header is optional. */
export const hasValidHost = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  let host: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Comparing the length rules out most headers without lower-casing their names.
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== null) return false;
    host = rawHeaders[index + 1] ?? '';
  }
  return host === null ? httpVersion === '1.0' : hostPattern.test(host);
};

/**
 * Escapes each path segment that cannot be percent-decoded, so that it decodes to itself. The segment then identifies
 * nothing, so the request gets the response for an unknown id, after the same checks (specification, section 1). Leaves
 * the query unchanged.
 */
export const escapeUndecodable = (url: string): string => {
  if (!url.includes('%')) return url;
  const start = url.indexOf('?');
  const path = start === -1 ? url : url.slice(0, start);
  const parts = path.split('/').map((part) => (isDecodable(part) ? part : part.replaceAll('%', '%25')));
  return parts.join('/') + url.slice(path.length);
};

const isDecodable = (part: string): boolean => {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
};
