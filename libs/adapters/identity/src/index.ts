export {
  createLocalIssuer,
  localAudience,
  localIssuerName,
  makeLocalIssuerKey,
  type LocalIssuer,
  type LocalTokenClaims,
} from './local-issuer.ts';
export { createLocalSignIn, type Authorization, type LocalSignIn, type TokenSet } from './local-sign-in.ts';
export type { LocalUser } from './local-codes.ts';
export type { TokenError } from './token-request.ts';
export { createJwtVerifier } from './jwt-verifier.ts';
export { IssuerEndpoints, type IssuerEndpointsOptions } from './issuer-endpoints.ts';
export { inspectProvider, type InspectedProvider } from './inspect-provider.ts';
export { discoveryUrlOf } from './provider-documents.ts';
export { readKeySet } from './key-set.ts';
export {
  createOidcTokenVerifier,
  fetchTimeoutMs,
  type OidcTokenVerifier,
  type OidcTokenVerifierOptions,
} from './oidc-token-verifier.ts';
export type { KeySetStorage } from './remote-key-source.ts';
