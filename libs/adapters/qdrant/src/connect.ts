import { QdrantClient } from '@qdrant/js-client-rest';

export interface Limits {
  /** The timeout for a search, and for each small call. */
  readonly searchMs: number;
  /** The timeout for a call that writes or reads many points. */
  readonly bulkMs: number;
  /** How long the circuit breaker remains open after five failures within ten seconds. */
  readonly breakerOpenMs: number;
}

export const defaultLimits: Limits = { searchMs: 1_000, bulkMs: 10_000, breakerOpenMs: 5_000 };

/** Creates a client for the URL that the operator configured. */
export const connect = (url: string, apiKey: string | null, timeoutMs: number): QdrantClient =>
  new QdrantClient({
    ...parseUrl(url),
    timeout: timeoutMs,
    // The client's version check writes to the console. Its API key option also does so over http, which is why the key
    // is sent as a header.
    checkCompatibility: false,
    ...(apiKey === null ? {} : { headers: { 'api-key': apiKey } }),
  });

/** Parses the URL. The default port is 6333, or 443 with https. A path is a gateway's prefix. */
export const parseUrl = (url: string) => {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isHttps = protocol === 'https:';
  // `URL` drops the scheme's default port, even if the operator specified it.
  const isPort80 = !isHttps && /^http:\/\/[^/?#]*:80(?:[/?#]|$)/i.test(url);
  return {
    https: isHttps,
    host: hostname,
    port: port ? Number(port) : isHttps ? 443 : isPort80 ? 80 : 6333,
    prefix: pathname.replace(/\/+$/, ''),
  };
};

/** Returns the part of a URL that may be logged: the host and port, without the user name and password. */
export const hostOf = (url: string): string => new URL(url).host;
