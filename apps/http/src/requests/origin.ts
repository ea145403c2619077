import type { IncomingMessage } from 'node:http';
import { PorticoError } from '@portico/domain';

/**
 * Throws `foreign_origin` for a request from a page whose host is neither the requested host nor the host of
 * `publicUrl`, which is an absolute URL. Only browsers send the page's origin, in `Origin` (RFC 6454). The scheme is not
 * compared, because a proxy may terminate TLS.
 */
export const rejectForeignOrigin = ({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string | null): void => {
  const { origin, host = '' } = headers;
  if (origin === undefined) return;
  const page = URL.parse(origin);
  if (!page || !listOwnHosts(host, page.protocol, publicUrl).includes(page.host))
    throw new PorticoError('foreign_origin');
};

/** Returns this service's own hosts, without the scheme's default port. */
const listOwnHosts = (host: string, protocol: string, publicUrl: string | null): readonly string[] =>
  [`${protocol}//${host}`, publicUrl ?? ''].flatMap((url) => URL.parse(url)?.host || []);
