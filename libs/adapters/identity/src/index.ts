export {
  createLocalIssuer,
  localAudience,
  localIssuerName,
  makeLocalIssuerKey,
  type LocalIssuer,
  type LocalTokenClaims,
} from './local-issuer.ts';
export { createJwtVerifier } from './jwt-verifier.ts';
export { inspectProvider, type InspectedProvider } from './inspect-provider.ts';
export { discoveryUrlOf } from './provider-documents.ts';
export { readKeySet } from './key-set.ts';
export {
  createOidcTokenVerifier,
  type OidcTokenVerifier,
  type OidcTokenVerifierOptions,
} from './oidc-token-verifier.ts';
export type { KeySetStorage } from './remote-key-source.ts';
