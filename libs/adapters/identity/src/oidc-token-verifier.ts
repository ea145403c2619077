import type { Log } from '@portico/dependencies';
import type { Clock, Probe, TokenVerifier } from '@portico/domain';
import { createJwtVerifier } from './jwt-verifier.ts';
import { assertFetchable, type Provider } from './provider-documents.ts';
import { RemoteKeySource, type KeySetStorage } from './remote-key-source.ts';

export interface OidcTokenVerifierOptions {
  /** What `iss` says, to the letter. */
  readonly issuer: string;
  /** What `aud` says, to the letter. */
  readonly audience: string;
  /** Found by discovery where it is absent or null. */
  readonly jwksUrl?: string | null;
  readonly clock: Clock;
  readonly storage: KeySetStorage;
  /** For one fetch of the keys, discovery included; `fetchTimeoutMs` by default. */
  readonly timeoutMs?: number;
  readonly log: Log;
}

export interface OidcTokenVerifier extends TokenVerifier {
  /** Not essential: API keys work without the provider, and known keys outlive an outage. */
  readonly probe: Probe;
  /** Ends what is under way; the verifier fetches nothing afterwards. */
  close(): Promise<void>;
}

/** So long a token whose key is unknown may wait for the provider. */
export const fetchTimeoutMs = 3_000;

/**
 * Verifies identity tokens of an OpenID Connect issuer (specification, section 2). Nothing is fetched before the first
 * token comes. Throws at once where the issuer has no address that keys may be fetched from, or the audience is empty.
 */
export const createOidcTokenVerifier = ({
  issuer,
  audience,
  jwksUrl = null,
  clock,
  storage,
  timeoutMs = fetchTimeoutMs,
  log,
}: OidcTokenVerifierOptions): OidcTokenVerifier => {
  if (audience === '') throw new Error('An identity issuer needs an audience');
  const provider: Provider = { issuer, jwksUrl, timeoutMs };
  assertFetchable(provider);
  const keys = new RemoteKeySource({ provider, clock, storage, log });
  const verifier = createJwtVerifier({ issuer, audience, clock, keys });
  return {
    verify: (token) => verifier.verify(token),
    probe: { name: 'identity', essential: false, check: () => keys.check() },
    close: () => keys.close(),
  };
};
