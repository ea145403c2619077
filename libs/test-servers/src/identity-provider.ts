import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  errors,
  Provider,
  type AdapterFactory,
  type ClientMetadata,
  type Configuration,
  type JWK,
} from 'oidc-provider';
import { LoopbackServer } from './loopback-server.ts';
import type { ServerControl } from './server-process.ts';
import { createMemoryAdapter } from './memory-adapter.ts';
import { browseFrom, signInByCode, getTokenByCredentials, type SignInTokens } from './sign-in-by-code.ts';

/** An algorithm that signs tokens. RSA keys have 2,048 bits, ES256 uses P-256, and EdDSA uses Ed25519. */
export type SigningAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

export interface IdentityProviderOptions {
  /** The client that the tokens are for; `portico` by default. */
  readonly clientId?: string;
  /** The algorithm that signs the tokens; `RS256` by default. */
  readonly algorithm?: SigningAlgorithm;
  /**
   * Whether people may sign in on a different device (RFC 8628); `unlisted` if the provider allows it, but not for the
   * client. `off` by default.
   */
  readonly deviceFlow?: 'on' | 'off' | 'unlisted';
  /** The lifetime of an ID token; an hour by default. */
  readonly idTokenSeconds?: number;
  /** The services that access tokens may be for, in addition to the provider itself (RFC 8707); none by default. */
  readonly resources?: readonly string[];
  /**
   * Whether the UserInfo endpoint accepts access tokens for `resources`, as most providers do. oidc-provider itself
   * refuses them; with this option, the endpoint answers without verifying the token.
   */
  readonly reportsUsers?: boolean;
  /** A web application that signs people in from their browsers, using the public client `consoleClientId`. */
  readonly console?: WebConsole;
}

export interface WebConsole {
  /** The application's origin in browsers, `http://HOST:PORT`. */
  readonly origin: string;
  /**
   * Whether the application may renew a sign-in with a refresh token. If not, it can renew one only in a frame, with
   * the browser's session.
   */
  readonly refreshTokens: boolean;
}

export interface Person {
  /** The `sub` claim. */
  readonly uid: string;
  /** The `email` claim. If absent, the token has no such claim. */
  readonly email?: string;
  readonly emailVerified?: boolean;
}

export interface TestIdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  /**
   * Signs a person in with an authorization code and PKCE, as an application would. The access token is a JWT for the
   * resource (RFC 9068), or opaque if there is none.
   */
  signIn(person: Person, resource?: string): Promise<SignInTokens>;
  /**
   * Opens a URL of the provider as the person's browser would. Returns the first URL outside the provider, or null
   * if the last page is one of the provider's.
   */
  browse(person: Person, url: string): Promise<string | null>;
  /** Sets the person who signs in on the login page from now on, in any browser. */
  logInAs(person: Person): void;
  /** Sets whether a page of `WebConsole` may read the provider's responses (CORS). Initially, it may. */
  allowCors(isAllowed: boolean): void;
  /** Gets an access token for the resource with a machine's credentials. The token's subject is `machineId`. */
  getMachineToken(resource: string): Promise<string>;
  /** Starts signing with a new key. Earlier keys remain published. */
  rotate(): void;
  /** Publishes only the current signing key. */
  retireOldKeys(): void;
  /** Returns the number of requests for each document so far. */
  countRequests(): { readonly discovery: number; readonly keys: number };
  readonly control: ServerControl;
  close(): Promise<void>;
}

/** Starts a real OpenID Connect provider on loopback, `http://127.0.0.1:PORT`. */
export async function startIdentityProvider({
  clientId = 'portico',
  algorithm = 'RS256',
  deviceFlow = 'off',
  idTokenSeconds = 3_600,
  resources = [],
  reportsUsers = false,
  console,
}: IdentityProviderOptions = {}): Promise<TestIdentityProvider> {
  const people = new Map<string, Person>();
  const settings = {
    ...{ clientId, algorithm, deviceFlow, idTokenSeconds, resources, console, people },
    adapterFactory: createMemoryAdapter(),
    pages: { isCorsAllowed: true },
    // Browser sessions outlive a change of the signing keys.
    cookieKeys: [randomUUID()],
  };
  const requests = { discovery: 0, keys: 0 };
  const browser: { person: Person | null } = { person: null };
  let keys = [createSigningKey(algorithm)];
  let provider: Provider | null = null;

  const server = createServer((request, response) => {
    countRequest(requests, request);
    void loopback.resumed.then(() => respond(request, response));
  });
  // After a stop, a kept-alive connection would be dead, especially one for the test's own requests.
  server.maxRequestsPerSocket = 1;
  const loopback = await LoopbackServer.start(server);
  const issuer = `http://127.0.0.1:${loopback.port}`;

  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const currentProvider = (provider ??= new Provider(issuer, createConfiguration({ ...settings, keys })));
    if (reportsUsers && request.url === userInfoPath) reportUser(people, request, response);
    else if (request.url?.startsWith(interactionPath)) {
      logIn(currentProvider, browser.person, request, response).catch((error: Error) => response.destroy(error));
    } else void currentProvider.callback()(request, response);
  };
  const logInAs = (person: Person): void => {
    people.set(person.uid, person);
    browser.person = person;
  };
  const publish = (newKeys: readonly JWK[]): void => {
    keys = [...newKeys];
    provider = null;
  };

  return {
    issuer,
    clientId,
    signIn: async (person, resource) => {
      people.set(person.uid, person);
      const resourceOption = resource === undefined ? {} : { resource };
      return signInByCode({ issuer, clientId, redirectUri, scope, uid: person.uid, ...resourceOption });
    },
    browse: (person, url) => {
      logInAs(person);
      return browseFrom(url, issuer);
    },
    logInAs,
    allowCors: (isAllowed) => void (settings.pages.isCorsAllowed = isAllowed),
    getMachineToken: (resource) =>
      getTokenByCredentials({ issuer, clientId: machineId, clientSecret: machineSecret, resource }),
    rotate: () => publish([createSigningKey(algorithm), ...keys]),
    retireOldKeys: () => publish(keys.slice(0, 1)),
    countRequests: () => ({ ...requests }),
    control: loopback,
    close: () => loopback.stop(),
  };
}

/** No server is listening at this URL: the code is read from the URL that the provider redirects to. */
const redirectUri = 'https://app.example.com/callback';
const scope = 'openid email';
const interactionPath = '/interaction/';
const userInfoPath = '/me';
/** The id of a client that acts on its own behalf. */
export const machineId = 'a-machine';
const machineSecret = randomUUID();
/** The id of the public client that `WebConsole` uses. */
export const consoleClientId = 'portico-console';

const createSigningKey = (algorithm: SigningAlgorithm): JWK => ({
  ...keyPairFor(algorithm).privateKey.export({ format: 'jwk' }),
  kid: randomUUID(),
  alg: algorithm,
  use: 'sig',
});

const keyPairFor = (algorithm: SigningAlgorithm) => {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2_048 });
};

interface ProviderSettings {
  readonly clientId: string;
  readonly algorithm: SigningAlgorithm;
  readonly deviceFlow: 'on' | 'off' | 'unlisted';
  readonly idTokenSeconds: number;
  readonly resources: readonly string[];
  readonly console: WebConsole | undefined;
  readonly keys: JWK[];
  readonly cookieKeys: string[];
  readonly people: ReadonlyMap<string, Person>;
  readonly adapterFactory: AdapterFactory;
  readonly pages: { readonly isCorsAllowed: boolean };
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** The loopback URL without a port, which the operating system chooses (RFC 8252, section 7.3). */
const loopbackUri = 'http://127.0.0.1/callback';

const createConfiguration = ({
  clientId,
  algorithm,
  deviceFlow,
  idTokenSeconds,
  resources,
  console,
  keys,
  cookieKeys,
  people,
  adapterFactory,
  pages,
}: ProviderSettings): Configuration => ({
  adapter: adapterFactory,
  jwks: { keys },
  clients: [
    {
      client_id: clientId,
      token_endpoint_auth_method: 'none',
      redirect_uris: [redirectUri, loopbackUri],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token', ...(deviceFlow === 'on' ? [deviceGrant] : [])],
      id_token_signed_response_alg: algorithm,
    },
    {
      client_id: machineId,
      client_secret: machineSecret,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      id_token_signed_response_alg: algorithm,
    },
    ...(console ? [createConsoleClient(console, algorithm)] : []),
  ],
  clientBasedCORS: (_context, origin) => pages.isCorsAllowed && origin === console?.origin,
  issueRefreshToken: async (_context, client, { scopes }) =>
    client.grantTypeAllowed('refresh_token') && (scopes.has('offline_access') || client.clientId === consoleClientId),
  cookies: { keys: cookieKeys },
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  // The ID token contains the email, so no further request is needed.
  conformIdTokenClaims: false,
  enabledJWA: { idTokenSigningAlgValues: [algorithm] },
  ttl: {
    Interaction: 600,
    Grant: 600,
    Session: 600,
    AccessToken: 600,
    AuthorizationCode: 60,
    ClientCredentials: 600,
    IdToken: idTokenSeconds,
    RefreshToken: 86_400,
    DeviceCode: 600,
  },
  features: featuresOf({ algorithm, deviceFlow, resources }),
  interactions: { url: (_context, { uid }) => `${interactionPath}${uid}` },
  findAccount: (_context, uid) => {
    const person = people.get(uid);
    return person && { accountId: uid, claims: async () => claimsOf(person) };
  },
  loadExistingGrant: async ({ oidc }) => {
    const { provider, client, session } = oidc;
    if (!client || !session?.accountId) return undefined;
    const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope(`${scope} offline_access`);
    await grant.save();
    return grant;
  },
});

/**
 * Returns the client of the console. It is a web application, because a native one could not renew a sign-in without
 * its user (RFC 8252, section 8.6).
 */
const createConsoleClient = ({ origin, refreshTokens }: WebConsole, algorithm: SigningAlgorithm): ClientMetadata => ({
  client_id: consoleClientId,
  token_endpoint_auth_method: 'none',
  application_type: 'web',
  redirect_uris: [`${origin}/console/sign-in/callback`],
  post_logout_redirect_uris: [`${origin}/console/`],
  grant_types: ['authorization_code', ...(refreshTokens ? ['refresh_token'] : [])],
  id_token_signed_response_alg: algorithm,
});

const featuresOf = ({
  algorithm,
  deviceFlow,
  resources,
}: Pick<ProviderSettings, 'algorithm' | 'deviceFlow' | 'resources'>): Configuration['features'] => ({
  devInteractions: { enabled: false },
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: async (context, form) => void (context.body = createLogOutPage(form)),
  },
  clientCredentials: { enabled: true },
  revocation: { enabled: true, allowedPolicy: async () => true },
  deviceFlow: {
    enabled: deviceFlow !== 'off',
    // These pages contain only a form, for `browseFrom`.
    userCodeInputSource: async (context, form) => void (context.body = form),
    userCodeConfirmSource: async (context, form) => void (context.body = form),
    successSource: async (context) => void (context.body = 'Signed in.'),
  },
  resourceIndicators: {
    enabled: true,
    getResourceServerInfo: (_context, resource) => {
      if (!resources.includes(resource)) throw new errors.InvalidTarget();
      return { scope: '', audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: algorithm } } };
    },
  },
});

/** Returns the sign-out page. Unlike the provider's own page, it loads nothing. */
const createLogOutPage = (form: string): string =>
  `<!doctype html><html lang="en"><head><title>Sign out</title><link rel="icon" href="data:,"></head><body>${form}` +
  '<button type="submit" form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button></body></html>';

const countRequest = (counts: { discovery: number; keys: number }, { url }: IncomingMessage): void => {
  if (url === '/.well-known/openid-configuration') counts.discovery += 1;
  if (url === '/jwks') counts.keys += 1;
};

/** Responds with the claims of the token's subject. The token is not verified. */
const reportUser = (
  people: ReadonlyMap<string, Person>,
  { headers: { authorization = '' } }: IncomingMessage,
  response: ServerResponse,
): void => {
  const [, payload = ''] = authorization.split('.');
  const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly sub: string };
  response.end(JSON.stringify(claimsOf(people.get(sub) ?? { uid: sub })));
};

const claimsOf = ({ uid, email, emailVerified }: Person) => ({
  sub: uid,
  ...(email === undefined ? {} : { email }),
  ...(emailVerified === undefined ? {} : { email_verified: emailVerified }),
});

/**
 * Replaces a login page: signs in the person in the login hint or, without a hint, the current person. Consents to
 * everything.
 */
const logIn = async (
  provider: Provider,
  currentPerson: Person | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { params, prompt } = await provider.interactionDetails(request, response);
  const hint = params['login_hint'];
  const accountId = typeof hint === 'string' ? hint : currentPerson?.uid;
  const result = prompt.name === 'consent' ? { consent: {} } : { login: { accountId: String(accountId) } };
  await provider.interactionFinished(request, response, result);
};
