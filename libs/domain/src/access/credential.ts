/** What a request presents as its credential. */
export type Credential =
  | { readonly kind: 'none' }
  /** Cannot be a credential; `form` is what it was meant to be. */
  | { readonly kind: 'malformed'; readonly form: 'token' | 'key' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly clientId: string; readonly secret: string };

/**
 * Why a request has no caller. `token_required`: a key came to an endpoint that takes none, and was not checked.
 * `unregistered`: the token is valid, but no profile is bound to its issuer and uid.
 */
export type AuthenticationFailure =
  'no_credential' | 'token_required' | 'invalid_token' | 'invalid_api_credentials' | 'unregistered';

/** Whether an API key was presented, or something meant as one. */
export const isKey = (credential: Credential): boolean =>
  credential.kind === 'key' || (credential.kind === 'malformed' && credential.form === 'key');
