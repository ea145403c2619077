import { localAudience } from './local-issuer.ts';

/** A valid authorization request (RFC 6749, section 4.1.1; RFC 7636), which may be granted. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string | null;
  /** The `nonce`, which is copied into the ID token (OpenID Connect Core, section 3.1.2.1). */
  readonly nonce: string | null;
  /** The PKCE challenge: BASE64URL(SHA-256(verifier)). */
  readonly challenge: string;
}

/** An error that is sent to the client in the query of the redirect (RFC 6749, section 4.1.2.1). */
export interface AuthorizationError {
  readonly error: string;
  readonly error_description: string;
}

export type AuthorizationRequestResult =
  | { readonly kind: 'valid'; readonly request: AuthorizationRequest }
  /** The client cannot be identified, so there is no redirect (RFC 6749, section 4.1.2.1). */
  | { readonly kind: 'unknown client'; readonly reason: string }
  | {
      readonly kind: 'rejected';
      readonly error: AuthorizationError;
      readonly redirectUri: string;
      readonly state: string | null;
    };

/** The scopes of every token, regardless of which were requested. */
export const grantedScopes = 'openid email';

/** The path of the console's redirect URI, on the service's own origin. */
const callbackPath = '/console/sign-in/callback';

/** Parses the query parameters of a request; `origin` is the origin that the caller used to reach the service. */
export const readAuthorizationRequest = (parameters: URLSearchParams, origin: string): AuthorizationRequestResult => {
  const reason = findClientProblem(parameters, origin);
  if (reason !== null) return { kind: 'unknown client', reason };
  const redirectUri = `${origin}${callbackPath}`;
  const state = parameters.get('state');
  for (const rule of rules) {
    const error = rule(parameters);
    if (error) return { kind: 'rejected', error, redirectUri, state };
  }
  const challenge = parameters.get('code_challenge') ?? '';
  return { kind: 'valid', request: { redirectUri, state, nonce: parameters.get('nonce'), challenge } };
};

const findClientProblem = (parameters: URLSearchParams, origin: string): string | null => {
  if (parameters.getAll('client_id').join() !== localAudience) return `The client_id must be ${localAudience}.`;
  const expected = `${origin}${callbackPath}`;
  if (parameters.getAll('redirect_uri').join() === expected) return null;
  return `The redirect_uri must be ${expected}. If this service has a different URL, such as behind a proxy that terminates TLS, set PUBLIC_URL to that URL.`;
};

/** The maximum length of the nonce, in characters. The nonce is stored with the code. */
const nonceLengthMax = 512;

type Rule = (parameters: URLSearchParams) => AuthorizationError | null;

const rejectIf = (isInvalid: boolean, error: string, error_description: string): AuthorizationError | null =>
  isInvalid ? { error, error_description } : null;

const rejectDuplicates: Rule = (parameters) => {
  const duplicate = [...parameters.keys()].find((name) => parameters.getAll(name).length > 1);
  return rejectIf(duplicate !== undefined, 'invalid_request', 'A parameter appears more than once.');
};
const rejectRequestObject: Rule = (parameters) =>
  rejectIf(parameters.has('request'), 'request_not_supported', 'Request objects are not supported.') ??
  rejectIf(parameters.has('request_uri'), 'request_uri_not_supported', 'Request objects are not supported.');
const requireCodeResponse: Rule = (parameters) =>
  rejectIf(!parameters.has('response_type'), 'invalid_request', 'response_type is missing.') ??
  rejectIf(parameters.get('response_type') !== 'code', 'unsupported_response_type', 'response_type must be code.');
const requireQueryMode: Rule = (parameters) =>
  rejectIf((parameters.get('response_mode') ?? 'query') !== 'query', 'invalid_request', 'response_mode must be query.');
const requireOpenIdScope: Rule = (parameters) =>
  rejectIf(
    !(parameters.get('scope') ?? '').split(' ').includes('openid'),
    'invalid_scope',
    'scope must contain openid.',
  );
const requireChallenge: Rule = (parameters) =>
  rejectIf(
    parameters.get('code_challenge_method') !== 'S256' ||
      !/^[A-Za-z0-9_-]{43}$/.test(parameters.get('code_challenge') ?? ''),
    'invalid_request',
    'A code_challenge with the code_challenge_method S256 is required (RFC 7636).',
  );
const rejectLongNonce: Rule = (parameters) =>
  rejectIf(
    (parameters.get('nonce') ?? '').length > nonceLengthMax,
    'invalid_request',
    `nonce has more than ${nonceLengthMax} characters.`,
  );
/**
 * Rejects `prompt=none`. There are no sessions: each sign-in needs a one-time code, which is typed in or contained in a
 * link.
 */
const rejectPromptNone: Rule = (parameters) =>
  rejectIf(
    (parameters.get('prompt') ?? '').split(' ').includes('none'),
    'login_required',
    'Signing in requires a one-time code.',
  );

const rules: readonly Rule[] = [
  rejectDuplicates,
  rejectRequestObject,
  requireCodeResponse,
  requireQueryMode,
  requireOpenIdScope,
  requireChallenge,
  rejectLongNonce,
  rejectPromptNone,
];
