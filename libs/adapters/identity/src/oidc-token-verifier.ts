import type { Log } from '@portico/dependencies';
import type { Clock, Probe, TokenVerifier } from '@portico/domain';
import { createJwtVerifier } from './jwt-verifier.ts';
import { assertFetchable, type Provider } from './provider-documents.ts';
import { freshMs, RemoteKeySource, type KeySetStorage } from './remote-key-source.ts';

export interface OidcTokenVerifierOptions {
  /** The exact `iss`. */
  readonly issuer: string;
  /** The exact `aud` of an identity token, or the list of accepted ones. */
  readonly audience: string | readonly string[];
  /** The `aud` of an access token must contain one of these; none by default, and then no access token is valid. */
  readonly accessAudiences?: readonly string[];
  /** The claim that lists groups: its name, or a path of names joined by dots; null (the default) for none. */
  readonly groupsClaim?: string | null;
  /** The clients whose tokens are accepted; all clients by default. */
  readonly authorizedParties?: readonly string[];
  /** Discovered if absent or null. */
  readonly jwksUrl?: string | null;
  /** How old the keys may be before they are fetched again in the background; `freshMs` by default. */
  readonly keysMaxAgeMs?: number;
  readonly clock: Clock;
  readonly storage: KeySetStorage;
  /** For one fetch of the keys, discovery included; `fetchTimeoutMs` by default. */
  readonly timeoutMs?: number;
  readonly log: Log;
}

export interface OidcTokenVerifier extends TokenVerifier {
  /** Not essential: API keys work without the provider, and known keys outlive an outage. */
  readonly probe: Probe;
  /** Aborts any fetch. The verifier fetches nothing afterwards. */
  close(): Promise<void>;
}

/** The longest time for which a token with an unknown key waits for the provider. */
export const fetchTimeoutMs = 3_000;

/**
 * Verifies tokens of an OpenID Connect issuer (specification, section 2). Fetches nothing before the first
 * token. Throws immediately if keys may not be fetched from the issuer's address, or if the audience is empty.
 */
export const createOidcTokenVerifier = ({
  issuer,
  audience,
  accessAudiences = [],
  groupsClaim = null,
  authorizedParties = [],
  jwksUrl = null,
  keysMaxAgeMs = freshMs,
  clock,
  storage,
  timeoutMs = fetchTimeoutMs,
  log,
}: OidcTokenVerifierOptions): OidcTokenVerifier => {
  const audiences = [audience].flat();
  if (audiences.length === 0 || audiences.includes('')) throw new Error('An identity issuer needs an audience');
  const provider: Provider = { issuer, jwksUrl, timeoutMs };
  assertFetchable(provider);
  const keys = new RemoteKeySource({ provider, clock, storage, maxAgeMs: keysMaxAgeMs, log });
  const rules = { issuer, audience, accessAudiences, groupsClaim, authorizedParties };
  const verifier = createJwtVerifier({ ...rules, clock, keys, log });
  return {
    verify: (token, use) => verifier.verify(token, use),
    probe: { name: 'identity', essential: false, check: () => keys.check() },
    close: () => keys.close(),
  };
};
