import type { IncomingMessage } from 'node:http';

/** The characters of a host, registered or literal, with a port (RFC 3986, section 3.2). */
const hostForm = /^[A-Za-z0-9._~!$&'()*+,;=%:[\]-]+$/;

/** Whether a request names the one host that it is for (RFC 9112, section 3.2); of HTTP/1.0 it need not say any. */
export const namesHost = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  let host: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'host') continue;
    if (host !== null) return false;
    host = rawHeaders[at + 1] ?? '';
  }
  return host === null ? httpVersion === '1.0' : hostForm.test(host);
};

/**
 * The address of a request with each part of its path that does not percent-decode escaped, so that the part stands for itself.
 * It names nothing then, and is answered as what names nothing in its place: to whom it is due, with the detail of the missing
 * thing (specification, section 1). The query is left as it is.
 */
export const decodable = (url: string): string => {
  if (!url.includes('%')) return url;
  const start = url.indexOf('?');
  const path = start === -1 ? url : url.slice(0, start);
  const parts = path.split('/').map((part) => (decodes(part) ? part : part.replaceAll('%', '%25')));
  return parts.join('/') + url.slice(path.length);
};

const decodes = (part: string): boolean => {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
};
