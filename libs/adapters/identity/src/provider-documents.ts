import { boundedText, isLoopback } from '@portico/dependencies';

/** Where an issuer publishes its keys. */
export interface Provider {
  readonly issuer: string;
  /** Null where it is to be found by discovery (OpenID Connect Discovery 1.0, section 4). */
  readonly jwksUrl: string | null;
  /** For all requests of one fetch together. */
  readonly timeoutMs: number;
}

/** The longest discovery document or key set that is read to its end. */
export const documentMaxBytes = 256 * 1_024;

/** Throws for an address that keys must not be fetched from: anything but https, or http on loopback. */
export const assertFetchable = ({ issuer, jwksUrl }: Provider): void => {
  fetchable(jwksUrl ?? discoveryUrlOf(issuer));
};

/** The issuer's key set as it is published now. Throws after the time limit, and for whatever is not 200 and such a text. */
export const fetchKeySetText = async (provider: Provider, closing: AbortSignal): Promise<string> => {
  const signal = AbortSignal.any([AbortSignal.timeout(provider.timeoutMs), closing]);
  return fetchText(provider.jwksUrl ?? (await discover(provider.issuer, signal)), signal);
};

/**
 * Where a discovery document says that the keys are. Throws for the document of another issuer; and an issuer that is reached
 * by https cannot send us to plain http.
 */
export const keysAddressIn = (text: string, issuer: string): string => {
  const url = discoveryUrlOf(issuer);
  const { issuer: said, jwks_uri: jwksUrl } = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  if (said !== issuer) throw new Error(`${url} is of another issuer: ${JSON.stringify(said)}`);
  if (typeof jwksUrl !== 'string') throw new Error(`${url} does not say where the keys are`);
  if (url.startsWith('https:') && !jwksUrl.startsWith('https:')) throw new Error(`${jwksUrl} is not https`);
  return jwksUrl;
};

const discoveryUrlOf = (issuer: string): string => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

const discover = async (issuer: string, signal: AbortSignal): Promise<string> =>
  keysAddressIn(await fetchText(discoveryUrlOf(issuer), signal), issuer);

const fetchText = async (address: string, signal: AbortSignal): Promise<string> => {
  const response = await fetch(fetchable(address), {
    signal,
    redirect: 'manual',
    headers: { accept: 'application/json' },
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${address} answered ${response.status}`);
  }
  const tooLong = () => new Error(`${address} answered more than ${documentMaxBytes} bytes`);
  return boundedText(response, documentMaxBytes, tooLong);
};

const fetchable = (address: string): URL => {
  if (!URL.canParse(address)) throw new Error(`${JSON.stringify(address)} is no URL`);
  const url = new URL(address);
  if (url.username || url.password) throw new Error('The address of an identity provider must not hold a password');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw new Error(`${address} must be https; plain http is allowed on loopback only`);
};
