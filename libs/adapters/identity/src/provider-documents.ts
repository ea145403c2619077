import { readBoundedText, isLoopback } from '@portico/dependencies';

/** The location of an issuer's keys. */
export interface Provider {
  readonly issuer: string;
  /** The URL of the keys; null to find it by discovery (OpenID Connect Discovery 1.0, section 4). */
  readonly jwksUrl: string | null;
  /** The timeout for all requests of one fetch together. */
  readonly timeoutMs: number;
}

/** The size limit of a discovery document or key set. */
export const documentMaxBytes = 256 * 1_024;

/** Throws unless keys may be fetched from the URL, which must be https, or http on loopback. */
export const assertFetchable = ({ issuer, jwksUrl }: Provider): void => {
  parseFetchableUrl(jwksUrl ?? discoveryUrlOf(issuer));
};

/**
 * Fetches the issuer's current key set. Throws on a timeout, and if a response is not a 200 or exceeds the size limit.
 */
export const fetchKeySetText = async (provider: Provider, closeSignal: AbortSignal): Promise<string> => {
  const signal = AbortSignal.any([AbortSignal.timeout(provider.timeoutMs), closeSignal]);
  return fetchText(provider.jwksUrl ?? (await discover(provider.issuer, signal)), signal);
};

/**
 * Returns the URL of the keys from a discovery document. Throws if the document is for a different issuer, or if an
 * issuer that uses https refers us to plain http.
 */
export const parseKeySetUrl = (text: string, issuer: string): string => {
  const url = discoveryUrlOf(issuer);
  const { jwks_uri: jwksUrl } = parseIssuerDocument(text, issuer);
  if (typeof jwksUrl !== 'string') throw new Error(`${url} does not contain the URL of the keys`);
  if (url.startsWith('https:') && !jwksUrl.startsWith('https:')) throw new Error(`${jwksUrl} is not https`);
  return jwksUrl;
};

/** Parses a discovery document. Throws if it is for a different issuer. */
export const parseIssuerDocument = (text: string, issuer: string): Readonly<Record<string, unknown>> => {
  const document = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  if (document['issuer'] === issuer) return document;
  throw new Error(`${discoveryUrlOf(issuer)} names a different issuer: ${JSON.stringify(document['issuer'])}`);
};

export const discoveryUrlOf = (issuer: string): string =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

const discover = async (issuer: string, signal: AbortSignal): Promise<string> =>
  parseKeySetUrl(await fetchText(discoveryUrlOf(issuer), signal), issuer);

const fetchText = async (url: string, signal: AbortSignal): Promise<string> => (await fetchDocument(url, signal)).text;

/** A response with a status other than 200. */
export class UnexpectedStatus extends Error {
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${url} responded with status ${status}`);
    this.status = status;
  }
}

/** Fetches a document. `date` is the response's `Date` header, in milliseconds since 1970; null if absent. */
export const fetchDocument = async (
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly text: string; readonly date: number | null }> => {
  const response = await fetch(parseFetchableUrl(url), {
    signal,
    redirect: 'manual',
    headers: { accept: 'application/json', ...headers },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new UnexpectedStatus(url, response.status);
  }
  const createSizeError = () => new Error(`${url} responded with more than ${documentMaxBytes} bytes`);
  const date = Date.parse(response.headers.get('date') ?? '');
  return {
    text: await readBoundedText(response, documentMaxBytes, createSizeError),
    date: Number.isNaN(date) ? null : date,
  };
};

const parseFetchableUrl = (address: string): URL => {
  if (!URL.canParse(address)) throw new Error(`${JSON.stringify(address)} is not a URL`);
  const url = new URL(address);
  if (url.username || url.password) throw new Error('The URL of an identity provider must not contain a password');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw new Error(`${address} must be https; plain http is allowed on loopback only`);
};
