import type { IncomingMessage } from 'node:http';
import type { HttpSettings } from '../settings.ts';
import { createProxyTrust } from './client-address.ts';

/**
 * Creates a reader of the base URL that a caller used to reach the service, without a trailing slash: the origin of
 * `publicUrl` if it is set, because only an operator knows every proxy; otherwise `Host`, with the scheme that a
 * trusted proxy sends in `X-Forwarded-Proto`.
 */
export const createBaseUrlReader = ({
  publicUrl,
  trustProxy,
}: Pick<HttpSettings, 'publicUrl' | 'trustProxy'>): ((
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
) => string) => {
  if (publicUrl !== null) {
    const { origin } = new URL(publicUrl);
    return () => origin;
  }
  const isTrusted = createProxyTrust(trustProxy);
  return ({ headers, socket }) => {
    const { host = '', 'x-forwarded-proto': forwarded } = headers;
    const authority = /^[A-Za-z0-9.\-[\]:]+$/.test(host) ? host : `localhost:${socket.localPort ?? 80}`;
    const scheme = forwarded === 'https' && isTrusted(socket.remoteAddress) ? 'https' : 'http';
    return `${scheme}://${authority}`;
  };
};
