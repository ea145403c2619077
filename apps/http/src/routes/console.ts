import type { SignInWay } from '@portico/composition';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { acceptsGzip } from '../responses/negotiation.ts';
import { defineRoute } from '../route.ts';

const openIdConnectWay = z
  .object({
    kind: z.enum(['oidc', 'local']).meta({
      description:
        'With an authorization code and PKCE. `oidc`: with the configured issuer. `local`: with this service, by a one-time code.',
    }),
    name: z.string().meta({ description: 'The display name of the identity provider.', examples: ['id.example.com'] }),
    issuer: z.string().meta({
      description: 'The exact `iss` claim of the tokens.',
      examples: ['https://id.example.com/realms/portico'],
    }),
    metadata_url: z.string().meta({
      description: 'The URL of the discovery document; a path is relative to this service.',
      examples: ['https://id.example.com/realms/portico/.well-known/openid-configuration'],
    }),
    client_id: z.string().meta({ description: 'The client id of the public OAuth client.', examples: ['portico'] }),
    scopes: z.string().meta({
      description: 'The scopes to request, space-separated.',
      examples: ['openid email profile'],
    }),
  })
  .meta({ id: 'OpenIdConnectWay' });

const firebaseWay = z
  .object({
    kind: z.enum(['firebase']).meta({ description: 'With email address and password, by Firebase Authentication.' }),
    name: z.string().meta({ description: 'The display name of the identity provider.', examples: ['Firebase'] }),
    api_key: z.string().meta({
      description: 'The Web API key of the Firebase project. It identifies the project and is public.',
      examples: ['AIzaSyExample'],
    }),
    sign_in_url: z.string().meta({
      description: 'The endpoint that exchanges an email address and password for tokens.',
      examples: ['https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword'],
    }),
    token_url: z.string().meta({
      description: 'The endpoint that exchanges a refresh token for an ID token.',
      examples: ['https://securetoken.googleapis.com/v1/token'],
    }),
  })
  .meta({ id: 'FirebaseWay' });

const consoleConfiguration = z
  .object({
    service: z.string().meta({ description: 'The name of this service.', examples: ['portico'] }),
    version: z.string().meta({ examples: ['0.1.0'] }),
    ways: z
      .array(z.union([openIdConnectWay, firebaseWay]))
      .meta({ description: 'The sign-in methods; the first is the default.' }),
  })
  .meta({ id: 'ConsoleConfiguration' });

export const consoleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/console/config.json',
    operation: 'readConsoleConfiguration',
    summary: 'How people sign in to the console',
    description: 'For a sign-in page: it contains no secrets, and does not query the identity provider.',
    auth: 'free',
    status: 200,
    response: consoleConfiguration,
    handler: ({ service }) =>
      toJsonResponse(
        { service: service.name, version: service.version, ways: service.signInWays.map(toSignInWayView) },
        { 'Cache-Control': 'no-cache' },
      ),
  }),
  defineRoute({
    method: 'GET',
    path: '/console/assets/:file',
    operation: 'readConsoleFile',
    summary: 'A part of the console',
    description: 'A file that the page loads. The file name changes with the content.',
    params: {
      file: { description: 'The name of the file.', schema: { type: 'string' }, example: 'index-BKDY9yv_.css' },
    },
    isHidden: true,
    auth: 'free',
    status: 200,
    response: null,
    errors: ['not_found'],
    handler: ({ service, params, request }) =>
      service.consoleFiles.readAsset(params.file ?? '', acceptsGzip(request.headers['accept-encoding'])),
  }),
  defineRoute({
    method: 'GET',
    path: '/favicon.ico',
    operation: 'readIcon',
    summary: 'The icon of the service',
    description: 'Browsers request it for pages without an icon, such as JSON responses.',
    isHidden: true,
    auth: 'free',
    status: 200,
    response: null,
    errors: ['not_found'],
    handler: ({ service, request }) => service.consoleFiles.readIcon(acceptsGzip(request.headers['accept-encoding'])),
  }),
  defineRoute({
    method: 'GET',
    path: '/console',
    operation: 'readConsole',
    summary: 'The console',
    description: 'The web application for administrators and clients.',
    isHidden: true,
    auth: 'free',
    status: 200,
    response: null,
    handler: ({ service }) => service.consoleFiles.readPage(service.listSignInOrigins(), false),
  }),
  defineRoute({
    method: 'GET',
    path: '/console/*path',
    operation: 'readConsolePage',
    summary: 'A page of the console',
    description: 'The same document for every page: the browser decides which one it shows.',
    params: { path: { description: 'The page.', schema: { type: 'string' }, example: 'people' } },
    isHidden: true,
    auth: 'free',
    status: 200,
    response: null,
    handler: ({ service, request }) =>
      service.consoleFiles.readPage(service.listSignInOrigins(), (request.url ?? '').startsWith(callbackPath)),
  }),
] as const;

/** The path that the identity provider redirects to. */
const callbackPath = '/console/sign-in/callback';

const toSignInWayView = (way: SignInWay): z.input<typeof consoleConfiguration>['ways'][number] =>
  way.kind === 'firebase'
    ? { kind: way.kind, name: way.name, api_key: way.apiKey, sign_in_url: way.signInUrl, token_url: way.tokenUrl }
    : {
        kind: way.kind,
        name: way.name,
        issuer: way.issuer,
        metadata_url: way.metadataUrl,
        client_id: way.clientId,
        scopes: way.scopes,
      };
