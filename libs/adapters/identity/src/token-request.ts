import { grantedScopes } from './authorization-request.ts';
import { localAudience } from './local-issuer.ts';

/** A token request (RFC 6749, sections 4.1.3 and 6). The code or refresh token has not been looked up yet. */
export type TokenRequest =
  | {
      readonly grant: 'authorization_code';
      readonly clientId: string;
      readonly code: string;
      readonly redirectUri: string;
      readonly verifier: string;
    }
  | { readonly grant: 'refresh_token'; readonly clientId: string; readonly token: string };

/** The body of an error response (RFC 6749, section 5.2). */
export interface TokenError {
  readonly error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'invalid_scope' | 'unsupported_grant_type';
  readonly error_description: string;
}

/** Parses the form of a token request. */
export const readTokenRequest = (form: URLSearchParams): TokenRequest | TokenError => {
  if ([...form.keys()].some((name) => form.getAll(name).length > 1))
    return createInvalidRequestError('A parameter appears more than once.');
  const grant = form.get('grant_type');
  if (grant === null) return createInvalidRequestError('grant_type is missing.');
  const reader = Object.hasOwn(readers, grant) ? readers[grant as TokenRequest['grant']] : null;
  if (!reader)
    return {
      error: 'unsupported_grant_type',
      error_description: 'grant_type must be authorization_code or refresh_token.',
    };
  const clientId = form.get('client_id');
  if (clientId !== localAudience)
    return { error: 'invalid_client', error_description: `client_id must be ${localAudience}, without a secret.` };
  return reader(form, clientId);
};

const readCode = (form: URLSearchParams, clientId: string): TokenRequest | TokenError => {
  const [code, redirectUri, verifier] = [form.get('code'), form.get('redirect_uri'), form.get('code_verifier')];
  if (!code || redirectUri === null || verifier === null)
    return createInvalidRequestError('code, redirect_uri and code_verifier are required.');
  // The format of a verifier: RFC 7636, section 4.1.
  if (!/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier))
    return createInvalidRequestError('code_verifier must consist of 43 to 128 characters from the set in RFC 7636.');
  return { grant: 'authorization_code', clientId, code, redirectUri, verifier };
};

const readRefresh = (form: URLSearchParams, clientId: string): TokenRequest | TokenError => {
  const token = form.get('refresh_token');
  if (!token) return createInvalidRequestError('refresh_token is missing.');
  const scopes = grantedScopes.split(' ');
  if ((form.get('scope') ?? grantedScopes).split(' ').some((scope) => !scopes.includes(scope)))
    return { error: 'invalid_scope', error_description: `Only the scopes ${grantedScopes} were granted.` };
  return { grant: 'refresh_token', clientId, token };
};

const readers = { authorization_code: readCode, refresh_token: readRefresh } as const;

const createInvalidRequestError = (error_description: string): TokenError => ({
  error: 'invalid_request',
  error_description,
});
