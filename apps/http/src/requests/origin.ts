import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@portico/composition';
import { PorticoError } from '@portico/domain';
import type { HttpSettings } from '../settings.ts';

/**
 * Creates a check of `Host`, for a service that listens only on loopback. Such a service is reached by this machine's
 * names, or through a proxy at its public URL. Any other name was made to point here (DNS rebinding), so that a page of
 * that name can read the responses. Elsewhere, operators decide which names point to a service.
 */
export const createHostCheck = ({
  host: listeningHost,
  publicUrl,
}: Pick<HttpSettings, 'host' | 'publicUrl'>): ((request: Pick<IncomingMessage, 'headers'>) => void) => {
  if (!isLoopback(listeningHost)) return () => undefined;
  const publicName = publicUrl === null ? null : new URL(publicUrl).hostname;
  return ({ headers: { host } }) => {
    // Only HTTP/1.0 has no host, and no browser sends it.
    if (host === undefined) return;
    const name = URL.parse(`http://${host}`)?.hostname;
    if (name === undefined || !(isLoopback(name) || name === publicName))
      throw new PorticoError('foreign_host', { reason: hostAdvice });
  };
};

const hostAdvice =
  'the service listens on HOST, which is a loopback address, so it is called by localhost; if a proxy calls it, set ' +
  'PUBLIC_URL to the URL of the proxy';

/**
 * Throws `foreign_origin` for a request from a page of a different site. Only browsers send the page's origin, in `Origin`
 * (RFC 6454). With a public URL, the page must have its origin, since a proxy may send any `Host`; without one, the
 * requested host, with any scheme, because a proxy may terminate TLS. On loopback, both are accepted, because there
 * `Host` has been checked.
 */
export const rejectForeignOrigin = (
  { headers }: Pick<IncomingMessage, 'headers'>,
  { host: listeningHost, publicUrl }: Pick<HttpSettings, 'host' | 'publicUrl'>,
): void => {
  const { origin, host = '' } = headers;
  if (origin === undefined) return;
  const page = URL.parse(origin);
  if (!page) throw new PorticoError('foreign_origin');
  const isPublic = publicUrl !== null && page.origin === new URL(publicUrl).origin;
  const acceptsHost = publicUrl === null || isLoopback(listeningHost);
  // Parsing removes the scheme's default port.
  const isRequestedHost = acceptsHost && page.host !== '' && page.host === URL.parse(`${page.protocol}//${host}`)?.host;
  if (!isPublic && !isRequestedHost) throw new PorticoError('foreign_origin');
};
