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
