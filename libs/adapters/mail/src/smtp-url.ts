import { isIP } from 'node:net';
import { isLoopback } from '@portico/dependencies';

/** A parsed `SMTP_URL`. */
export interface SmtpTarget {
  /** A host name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /**
   * How the connection is encrypted. `implicit`: TLS from the first byte. `required`: STARTTLS; no mail is sent without
   * it. `offered`: STARTTLS if the server offers it. `off`: plain text. Whenever TLS is used, the server's certificate
   * must be valid.
   */
  readonly tls: 'implicit' | 'required' | 'offered' | 'off';
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

const urlFormat = 'smtp://[user:password@]host[:port][?tls=required|off] or smtps://[user:password@]host[:port]';
const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;

/**
 * Parses `smtps://user:password@host:port` (TLS from the start, port 465; RFC 8314) or `smtp://…` (STARTTLS, port 587).
 * Emails contain API secrets, so STARTTLS is required unless the server is on loopback and needs no password. `?tls=off`
 * allows plain text for a server without a password, such as a mail catcher in a private network, and for a server on
 * loopback. The user name and password must be percent-encoded. Throws for anything else, with a message that quotes no
 * part of the URL.
 */
export const readSmtpUrl = (text: string): SmtpTarget => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) throw new Error(`It must be ${urlFormat}`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if ((!hostName.test(host) && isIP(host) === 0) || !/^\/?$/.test(url.pathname) || url.hash !== '') {
    throw new Error(`It must be ${urlFormat}`);
  }
  const isImplicit = url.protocol === 'smtps:';
  const credentials = parseCredentials(url);
  const tls = isImplicit
    ? parseImplicitTls(url.searchParams)
    : parseStartTls(url.searchParams, isLoopback(host), credentials);
  return { host, port: Number(url.port || (isImplicit ? 465 : 587)), tls, credentials };
};

const parseCredentials = ({ username, password }: URL): SmtpTarget['credentials'] => {
  if (username === '' && password === '') return null;
  if (username === '' || password === '')
    throw new Error('A user name requires a password, and a password a user name');
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    // There is no cause, because it would quote the text that cannot be decoded, which may be the password.
    throw new Error('User name and password must be percent-encoded');
  }
};

const parseImplicitTls = (query: URLSearchParams): 'implicit' => {
  if (query.size > 0) throw new Error('smtps:// has no options: it uses TLS from the start');
  return 'implicit';
};

const parseStartTls = (
  query: URLSearchParams,
  isOnLoopback: boolean,
  credentials: unknown,
): 'required' | 'offered' | 'off' => {
  const unknownParameter = [...query.keys()].find((name) => name !== 'tls');
  if (unknownParameter !== undefined || query.size > 1)
    throw new Error('The only option is tls, and it must not be repeated');
  const mode = query.get('tls') ?? (isOnLoopback && !credentials ? 'offered' : 'required');
  if (query.has('tls') && mode !== 'required' && mode !== 'off') throw new Error('tls must be required or off');
  if (mode === 'off' && credentials && !isOnLoopback) {
    throw new Error('tls=off would send the password in plain text; use it without a password, or on loopback');
  }
  return mode as 'required' | 'offered' | 'off';
};
