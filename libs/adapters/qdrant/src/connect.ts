import { QdrantClient } from '@qdrant/js-client-rest';

export interface Limits {
  /** How long a search may take, and each small call. */
  readonly searchMs: number;
  /** How long a call may take that writes or reads many points. */
  readonly bulkMs: number;
  /** How long Qdrant is left alone after it failed five times within ten seconds. */
  readonly restMs: number;
}

export const usualLimits: Limits = { searchMs: 1_000, bulkMs: 10_000, restMs: 5_000 };

/** A client by the address as an operator writes it. */
export const connect = (url: string, apiKey: string | null, timeoutMs: number): QdrantClient =>
  new QdrantClient({
    ...partsOf(url),
    timeout: timeoutMs,
    // Its own check writes to the console; so does its own way to send the key over http.
    checkCompatibility: false,
    ...(apiKey === null ? {} : { headers: { 'api-key': apiKey } }),
  });

/** Without a port 6333 is meant, with https 443; a path is that of a gateway. */
export const partsOf = (url: string) => {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isHttps = protocol === 'https:';
  // A port that is the scheme's own is not told by URL, though an operator may well have written it.
  const isPort80 = !isHttps && /^http:\/\/[^/?#]*:80(?:[/?#]|$)/i.test(url);
  return {
    https: isHttps,
    host: hostname,
    port: port ? Number(port) : isHttps ? 443 : isPort80 ? 80 : 6333,
    prefix: pathname.replace(/\/+$/, ''),
  };
};

/** What may be logged of an address: where, without who or by which secret. */
export const placeOf = (url: string): string => new URL(url).host;
