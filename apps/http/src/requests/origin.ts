import type { IncomingMessage } from 'node:http';
import { PorticoError } from '@portico/domain';

/**
 * Throws `foreign_origin` for a request from a page of another host than the one that was asked, and than that of
 * `publicUrl`, an absolute address. Browsers name the page in `Origin` (RFC 6454), and nothing else does. The scheme is
 * not compared, because a proxy may end TLS.
 */
export const refuseForeignOrigin = ({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string | null): void => {
  const { origin, host = '' } = headers;
  if (origin === undefined) return;
  const page = URL.parse(origin);
  if (!page || !ownHosts(host, page.protocol, publicUrl).includes(page.host)) throw new PorticoError('foreign_origin');
};

/** The hosts whose pages are of this service, without the default port of the scheme. */
const ownHosts = (host: string, protocol: string, publicUrl: string | null): readonly string[] =>
  [`${protocol}//${host}`, publicUrl ?? ''].flatMap((address) => URL.parse(address)?.host || []);
