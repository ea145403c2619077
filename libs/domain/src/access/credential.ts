/** What a request presents as its credential. */
export type Credential =
  | { readonly kind: 'none' }
  /** What cannot be a credential, by the form that it was meant to have. */
  | { readonly kind: 'malformed'; readonly form: 'token' | 'key' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'key'; readonly clientId: string; readonly secret: string };

/** Who may call: `token` takes an identity token, `token or key` an API key pair as well, `admin` an admin's token. */
export type RequiredAuth = 'token' | 'token or key' | 'admin';

/**
 * Why a request has no caller. `token_required`: a key came to an endpoint that takes none, and was not looked at. `unregistered`: the
 * token is good, but no profile is bound to its issuer and uid.
 */
export type AuthenticationFailure =
  'no_credential' | 'token_required' | 'invalid_token' | 'invalid_api_credentials' | 'unregistered';

/** Whether an API key was presented, or what was meant as one. */
export const isKey = (credential: Credential): boolean =>
  credential.kind === 'key' || (credential.kind === 'malformed' && credential.form === 'key');
