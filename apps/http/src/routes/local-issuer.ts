import { isPorticoError, PorticoError } from '@portico/domain';
import { z } from 'zod';
import {
  toJsonResponse,
  openerPolicyHeaders,
  toReadyResponse,
  type RouteResponse,
  type ResponseHeaders,
} from '../responses/route-response.ts';
import { retrySecondsOf } from '../errors.ts';
import { createCodePage, codeParameter, createUnknownClientPage } from '../local-issuer/sign-in-page.ts';
import { defineRoute, type Context, type RouteAuth } from '../route.ts';

const authorizePath = '/local-issuer/authorize';

/**
 * Not below the root: there, clients of the MCP endpoint would take it for the metadata of an authorization server of
 * that endpoint (RFC 8414), and would try to sign in instead of asking for an API key.
 */
const discoveryPath = '/local-issuer/.well-known/openid-configuration';

/** The routes of the service as its own identity provider: an authorization server with one client, the console. */
export const localIssuerRoutes = [
  defineRoute({
    method: 'GET',
    path: discoveryPath,
    operation: 'readIssuer',
    summary: 'The discovery document of the local identity provider',
    description: 'OpenID Connect Discovery metadata of the authorization server of the console.',
    requiresLocalIssuer: true,
    auth: 'free',
    status: 200,
    response: z.record(z.string(), z.unknown()),
    handler: ({ service, request }) =>
      toJsonResponse(
        getLocalIssuer(service).createDiscoveryDocument(service.readBaseUrl(request)) as Record<string, unknown>,
      ),
  }),
  defineRoute({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operation: 'readIssuerKeys',
    summary: 'The public keys of the local identity provider',
    description: 'A JSON Web Key Set (RFC 7517).',
    requiresLocalIssuer: true,
    auth: 'free',
    status: 200,
    response: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
    handler: ({ service }) =>
      toJsonResponse(getLocalIssuer(service).getKeySet() as { keys: Record<string, unknown>[] }),
  }),
  defineRoute({
    method: 'GET',
    path: authorizePath,
    operation: 'readSignIn',
    summary: 'Sign in with the local identity provider',
    description: 'The authorization endpoint (RFC 6749, section 3.1): a page that asks for a one-time code.',
    requiresLocalIssuer: true,
    isHidden: true,
    auth: 'free',
    status: 200,
    response: null,
    handler: (context) => {
      const { request, query } = readQuery(context);
      // A HEAD request does not sign in, because a code works only once.
      return authorize(context, query, request.method === 'HEAD' ? null : query.get(codeParameter));
    },
  }),
  defineRoute({
    method: 'POST',
    path: authorizePath,
    operation: 'signIn',
    summary: 'Sign in with the local identity provider and a one-time code',
    description: 'Accepts the form of the sign-in page. The authorization request is in the query, as for the page.',
    requiresLocalIssuer: true,
    isHidden: true,
    auth: 'free',
    status: 303,
    bodyKind: 'form',
    response: null,
    handler: (context) => authorize(context, readQuery(context).query, context.body.get(codeParameter) ?? ''),
  }),
  defineRoute({
    method: 'POST',
    path: '/local-issuer/token',
    operation: 'exchangeCode',
    summary: 'Exchange a code for tokens of the local identity provider',
    description: 'The token endpoint (RFC 6749, section 3.2), for the public client of the console.',
    requiresLocalIssuer: true,
    isHidden: true,
    auth: 'free',
    status: 200,
    bodyKind: 'form',
    response: null,
    handler: async ({ service, useCases, body, sender }) => {
      const response = await getLocalSignIn(service).exchange(body);
      if (!('error' in response)) return toJsonResponse(response, noStore);
      if (response.error === 'invalid_grant') await useCases.countFailedCode(sender.address);
      return toJsonResponse(response, noStore, 400);
    },
  }),
] as const;

/** The headers required by RFC 6749, section 5.1; `Pragma` is for HTTP/1.0. */
const noStore: ResponseHeaders = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

type FreeContext = Context<'free', unknown, unknown>;

const readQuery = ({ request }: Pick<FreeContext, 'request'>) => {
  const { searchParams: query } = new URL(request.url ?? '', 'http://localhost');
  return { request, query };
};

const authorize = async (context: FreeContext, query: URLSearchParams, code: string | null): Promise<RouteResponse> => {
  const { service, request } = context;
  const origin = service.readBaseUrl(request);
  const authorization = new URLSearchParams(query);
  authorization.delete(codeParameter);
  const response = await getLocalSignIn(service).authorize(authorization, origin, code);
  switch (response.kind) {
    case 'redirect':
      return toReadyResponse(
        '',
        { Location: response.url, 'Content-Type': 'text/plain; charset=utf-8', ...openerPolicyHeaders },
        303,
      );
    case 'unknown client':
      return createUnknownClientPage(response.reason);
    case 'code required':
      // Omits the rejected code, which would otherwise be in the page's URL.
      return createCodePage(
        `${authorizePath}?${authorization.toString()}`,
        origin,
        response.isCodeInvalid ? await problemOf(context) : null,
      );
  }
};

/** Returns the message about a wrong code, which is counted as a failed credential. */
const problemOf = async ({ useCases, sender }: FreeContext) => {
  try {
    await useCases.countFailedCode(sender.address);
  } catch (error) {
    if (!isPorticoError(error, 'rate_limited')) throw error;
    const seconds = String(retrySecondsOf(error));
    const text = `Too many wrong codes were sent from your address. Try again in ${seconds} s.`;
    return { status: 429, text, headers: { 'Retry-After': seconds } };
  }
  return {
    status: 400,
    text: 'This code does not work: it was already used, has expired, or was mistyped. Run the command again to get a new one.',
  };
};

const getLocalIssuer = ({ localIssuer: issuer }: Context<RouteAuth, unknown, unknown>['service']) => {
  if (!issuer) throw new PorticoError('not_found');
  return issuer;
};

const getLocalSignIn = ({ localSignIn: signIn }: Context<RouteAuth, unknown, unknown>['service']) => {
  if (!signIn) throw new PorticoError('not_found');
  return signIn;
};
