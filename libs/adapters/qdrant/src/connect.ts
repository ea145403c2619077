import { QdrantClient } from '@qdrant/js-client-rest';

export interface Limits {
  /** The timeout of a search, and of each small call. */
  readonly searchMs: number;
  /** The timeout of a call that writes or reads many points. */
  readonly bulkMs: number;
  /** How long the circuit breaker stays open after five failures within ten seconds. */
  readonly breakerOpenMs: number;
}

export const defaultLimits: Limits = { searchMs: 1_000, bulkMs: 10_000, breakerOpenMs: 5_000 };

/** Creates a client for the URL as the operator configured it. */
export const connect = (url: string, apiKey: string | null, timeoutMs: number): QdrantClient =>
  new QdrantClient({
    ...parseUrl(url),
    timeout: timeoutMs,
    // The client's version check writes to the console, and so does its option for a key over http.
    checkCompatibility: false,
    ...(apiKey === null ? {} : { headers: { 'api-key': apiKey } }),
  });

/** The default port is 6333, or 443 with https. A path is the prefix of a gateway. */
export const parseUrl = (url: string) => {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isHttps = protocol === 'https:';
  // `URL` drops the scheme's default port, even if the operator wrote it.
  const isPort80 = !isHttps && /^http:\/\/[^/?#]*:80(?:[/?#]|$)/i.test(url);
  return {
    https: isHttps,
    host: hostname,
    port: port ? Number(port) : isHttps ? 443 : isPort80 ? 80 : 6333,
    prefix: pathname.replace(/\/+$/, ''),
  };
};

/** Returns the part of a URL that may be logged: host and port, without user or secret. */
export const hostOf = (url: string): string => new URL(url).host;
