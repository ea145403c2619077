import { QdrantClient } from '@qdrant/js-client-rest';

export interface Limits {
  /** How long a search may take, and each small call. */
  readonly searchMs: number;
  /** How long a call that writes or reads many points may take. */
  readonly bulkMs: number;
  /** How long Qdrant gets no requests after five failures within ten seconds. */
  readonly restMs: number;
}

export const usualLimits: Limits = { searchMs: 1_000, bulkMs: 10_000, restMs: 5_000 };

/** A client for the address as an operator writes it. */
export const connect = (url: string, apiKey: string | null, timeoutMs: number): QdrantClient =>
  new QdrantClient({
    ...partsOf(url),
    timeout: timeoutMs,
    // The client's own check writes to the console; so does its option for a key over http.
    checkCompatibility: false,
    ...(apiKey === null ? {} : { headers: { 'api-key': apiKey } }),
  });

/** The default port is 6333, with https 443; a path is a gateway's. */
export const partsOf = (url: string) => {
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

/** The part of an address that may be logged: the place, without user or secret. */
export const placeOf = (url: string): string => new URL(url).host;
