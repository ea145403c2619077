import type { SignInWay } from '@portico/composition';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import { acceptsGzip } from '../responses/negotiation.ts';
import { defineRoute } from '../route.ts';

const byOpenIdConnect = z
  .object({
    kind: z.enum(['oidc', 'local']).meta({
      description:
        'By authorization code and PKCE: `oidc` at the configured issuer, `local` at this service, by a one-time code.',
    }),
    name: z.string().meta({ description: 'Its display name.', examples: ['id.example.com'] }),
    issuer: z.string().meta({
      description: 'The `iss` of its tokens, exactly.',
      examples: ['https://id.example.com/realms/portico'],
    }),
    metadata_url: z.string().meta({
      description: 'Its discovery document; a path is on this service.',
      examples: ['https://id.example.com/realms/portico/.well-known/openid-configuration'],
    }),
    client_id: z.string().meta({ description: 'The public client to sign in as.', examples: ['portico'] }),
    scopes: z.string().meta({
      description: 'The scopes to request, space-separated.',
      examples: ['openid email profile'],
    }),
  })
  .meta({ id: 'OpenIdConnectWay' });

const byFirebase = z
  .object({
    kind: z.enum(['firebase']).meta({ description: 'By e-mail and password at Firebase Authentication.' }),
    name: z.string().meta({ description: 'Its display name.', examples: ['Firebase'] }),
    api_key: z.string().meta({
      description: 'The Web API key of the Firebase project. It names the project and is public.',
      examples: ['AIzaSyExample'],
    }),
    sign_in_url: z.string().meta({
      description: 'Turns e-mail and password into tokens.',
      examples: ['https://identitytoolkit.googleapis.com/v1/accounts:signInWithPassword'],
    }),
    token_url: z.string().meta({
      description: 'Exchanges a refresh token for an ID token.',
      examples: ['https://securetoken.googleapis.com/v1/token'],
    }),
  })
  .meta({ id: 'FirebaseWay' });

const consoleConfiguration = z
  .object({
    service: z.string().meta({ description: 'The name of this service.', examples: ['portico'] }),
    version: z.string().meta({ examples: ['0.1.0'] }),
    ways: z
      .array(z.union([byOpenIdConnect, byFirebase]))
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
      json(
        { service: service.name, version: service.version, ways: service.signInWays.map(wayView) },
        { 'Cache-Control': 'no-cache' },
      ),
  }),
  defineRoute({
    method: 'GET',
    path: '/console/assets/:file',
    operation: 'readConsoleFile',
    summary: 'A part of the console',
    description: 'A file of the page; its name changes with the content.',
    params: { file: { description: 'Its name.', schema: { type: 'string' }, example: 'index-BKDY9yv_.css' } },
    hidden: true,
    auth: 'free',
    status: 200,
    response: null,
    errors: ['not_found'],
    handler: ({ service, params, request }) =>
      service.consoleFiles.asset(params.file ?? '', acceptsGzip(request.headers['accept-encoding'])),
  }),
  defineRoute({
    method: 'GET',
    path: '/favicon.ico',
    operation: 'readIcon',
    summary: 'The icon of the service',
    description: 'Browsers request it for pages without an icon, such as JSON responses.',
    hidden: true,
    auth: 'free',
    status: 200,
    response: null,
    errors: ['not_found'],
    handler: ({ service, request }) => service.consoleFiles.icon(acceptsGzip(request.headers['accept-encoding'])),
  }),
  defineRoute({
    method: 'GET',
    path: '/console',
    operation: 'readConsole',
    summary: 'The console',
    description: 'The web application for administrators and clients.',
    hidden: true,
    auth: 'free',
    status: 200,
    response: null,
    handler: ({ service }) => service.consoleFiles.page(service.signInOrigins(), false),
  }),
  defineRoute({
    method: 'GET',
    path: '/console/*path',
    operation: 'readConsolePage',
    summary: 'A page of the console',
    description: 'The same document for every page: the browser decides which one it shows.',
    params: { path: { description: 'The page.', schema: { type: 'string' }, example: 'people' } },
    hidden: true,
    auth: 'free',
    status: 200,
    response: null,
    handler: ({ service, request }) =>
      service.consoleFiles.page(service.signInOrigins(), (request.url ?? '').startsWith(callbackPath)),
  }),
] as const;

/** The path that the identity provider redirects to. */
const callbackPath = '/console/sign-in/callback';

const wayView = (way: SignInWay): z.input<typeof consoleConfiguration>['ways'][number] =>
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
