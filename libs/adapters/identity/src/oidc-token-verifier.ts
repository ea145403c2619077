import type { Log } from '@portico/dependencies';
import type { Clock, Probe, TokenVerifier } from '@portico/domain';
import { createJwtVerifier } from './jwt-verifier.ts';
import { assertFetchable, type Provider } from './provider-documents.ts';
import { UserInfo } from './user-info.ts';
import { defaultMaxAgeMs, RemoteKeySource, type KeySetStorage } from './remote-key-source.ts';

export interface OidcTokenVerifierOptions {
  /** The exact `iss` claim of a token. */
  readonly issuer: string;
  /** The exact `aud` of an identity token, or the list of accepted values. */
  readonly audience: string | readonly string[];
  /** The `aud` of an access token must contain one of these. By default there are none, so no access token is valid. */
  readonly accessAudiences?: readonly string[];
  /** The claim that lists groups: its name, or a path of names joined by dots; null (the default) if there is none. */
  readonly groupsClaim?: string | null;
  /** The clients whose tokens are accepted; all clients by default. */
  readonly authorizedParties?: readonly string[];
  /** The URL of the keys; discovered if absent or null. */
  readonly jwksUrl?: string | null;
  /** The age at which the keys are fetched again in the background; `defaultMaxAgeMs` by default. */
  readonly keysMaxAgeMs?: number;
  readonly clock: Clock;
  readonly storage: KeySetStorage;
  /** The timeout for one fetch of the keys, including discovery; `fetchTimeoutMs` by default. */
  readonly timeoutMs?: number;
  readonly log: Log;
}

export interface OidcTokenVerifier extends TokenVerifier {
  /**
   * The probe of the provider, not essential because API keys work without the provider and known keys can be used
   * during an outage.
   */
  readonly probe: Probe;
  /** Aborts any fetch. The verifier fetches nothing afterwards. */
  close(): Promise<void>;
}

/** The maximum time that the verification of a token with an unknown key waits for the provider. */
export const fetchTimeoutMs = 3_000;

/**
 * Creates a verifier for tokens from an OpenID Connect issuer (specification, section 2). Fetches nothing before the
 * first token. Throws immediately if keys may not be fetched from the issuer's URL, or if the audience is empty.
 */
export const createOidcTokenVerifier = ({
  issuer,
  audience,
  accessAudiences = [],
  groupsClaim = null,
  authorizedParties = [],
  jwksUrl = null,
  keysMaxAgeMs = defaultMaxAgeMs,
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
  const userInfo = new UserInfo({ issuer, clock, timeoutMs, log });
  return {
    verify: (token, use) => verifier.verify(token, use),
    readUserInfo: async (token, user) => (user.issuer === issuer ? userInfo.read(token, user.uid) : null),
    probe: { name: 'identity', essential: false, check: () => keys.check() },
    close: async () => {
      await Promise.all([keys.close(), userInfo.close()]);
    },
  };
};
