import { localAudience } from './local-issuer.ts';

/** An authorization request (RFC 6749, section 4.1.1; RFC 7636) that may be granted. */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string | null;
  /** Of the ID token (OpenID Connect Core, section 3.1.2.1). */
  readonly nonce: string | null;
  /** BASE64URL(SHA-256(verifier)). */
  readonly challenge: string;
}

/** A refusal that the client reads in the address to which it is sent back (RFC 6749, section 4.1.2.1). */
export interface AuthorizationError {
  readonly error: string;
  readonly error_description: string;
}

export type ReadRequest =
  | { readonly kind: 'good'; readonly request: AuthorizationRequest }
  /** Who asks is not known, so nobody is sent anywhere (RFC 6749, section 4.1.2.1). */
  | { readonly kind: 'stranger'; readonly reason: string }
  | {
      readonly kind: 'refused';
      readonly error: AuthorizationError;
      readonly redirectUri: string;
      readonly state: string | null;
    };

/** The scopes of its tokens, whatever else was asked for. */
export const grantedScopes = 'openid email';

/** Where the console takes an answer, on the origin of the service. */
const callbackPath = '/console/sign-in/callback';

/** Reads a request from its query parameters; `origin` is where the caller reached the service. */
export const readAuthorizationRequest = (parameters: URLSearchParams, origin: string): ReadRequest => {
  const reason = strangerIn(parameters, origin);
  if (reason !== null) return { kind: 'stranger', reason };
  const redirectUri = `${origin}${callbackPath}`;
  const state = parameters.get('state');
  for (const rule of refusals) {
    const error = rule(parameters);
    if (error) return { kind: 'refused', error, redirectUri, state };
  }
  const challenge = parameters.get('code_challenge') ?? '';
  return { kind: 'good', request: { redirectUri, state, nonce: parameters.get('nonce'), challenge } };
};

const strangerIn = (parameters: URLSearchParams, origin: string): string | null => {
  if (parameters.getAll('client_id').join() !== localAudience) return `The client_id must be ${localAudience}.`;
  const expected = `${origin}${callbackPath}`;
  if (parameters.getAll('redirect_uri').join() === expected) return null;
  return `The redirect_uri must be ${expected}. If this service has another address, such as behind a proxy that ends TLS, PUBLIC_URL names it.`;
};

/** It is kept with the code. */
const nonceLengthMax = 512;

type Rule = (parameters: URLSearchParams) => AuthorizationError | null;

const refuseIf = (broken: boolean, error: string, error_description: string): AuthorizationError | null =>
  broken ? { error, error_description } : null;

const isOnce: Rule = (parameters) => {
  const twice = [...parameters.keys()].find((name) => parameters.getAll(name).length > 1);
  return refuseIf(twice !== undefined, 'invalid_request', 'A parameter is there more than once.');
};
const isPlain: Rule = (parameters) =>
  refuseIf(parameters.has('request'), 'request_not_supported', 'Request objects are not taken.') ??
  refuseIf(parameters.has('request_uri'), 'request_uri_not_supported', 'Request objects are not taken.');
const asksForCode: Rule = (parameters) =>
  refuseIf(!parameters.has('response_type'), 'invalid_request', 'response_type is missing.') ??
  refuseIf(parameters.get('response_type') !== 'code', 'unsupported_response_type', 'response_type must be code.');
const answersInQuery: Rule = (parameters) =>
  refuseIf((parameters.get('response_mode') ?? 'query') !== 'query', 'invalid_request', 'response_mode must be query.');
const isOpenId: Rule = (parameters) =>
  refuseIf(
    !(parameters.get('scope') ?? '').split(' ').includes('openid'),
    'invalid_scope',
    'scope must contain openid.',
  );
const hasChallenge: Rule = (parameters) =>
  refuseIf(
    parameters.get('code_challenge_method') !== 'S256' ||
      !/^[A-Za-z0-9_-]{43}$/.test(parameters.get('code_challenge') ?? ''),
    'invalid_request',
    'A code_challenge by code_challenge_method S256 is required (RFC 7636).',
  );
const hasShortNonce: Rule = (parameters) =>
  refuseIf(
    (parameters.get('nonce') ?? '').length > nonceLengthMax,
    'invalid_request',
    `nonce has more than ${nonceLengthMax} characters.`,
  );
/** There is no session, so each sign-in needs a code, which someone has to type or to have a link with. */
const maySeePage: Rule = (parameters) =>
  refuseIf(
    (parameters.get('prompt') ?? '').split(' ').includes('none'),
    'login_required',
    'Signing in takes a one-time code.',
  );

const refusals: readonly Rule[] = [
  isOnce,
  isPlain,
  asksForCode,
  answersInQuery,
  isOpenId,
  hasChallenge,
  hasShortNonce,
  maySeePage,
];
