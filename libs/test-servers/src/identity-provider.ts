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
import { signInsInMemory } from './sign-ins-in-memory.ts';
import { browseFrom, signInByCode, tokenByCredentials, type SignedIn } from './sign-in-by-code.ts';

/** RSA keys have 2,048 bits; ES256 is on P-256, EdDSA on Ed25519. */
export type SigningAlgorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA';

export interface IdentityProviderOptions {
  /** The client that the tokens are for; `portico` by default. */
  readonly clientId?: string;
  /** `RS256` by default. */
  readonly algorithm?: SigningAlgorithm;
  /** Whether the application may be signed in on another device (RFC 8628); `unlisted` if the client may not. Off by default. */
  readonly deviceFlow?: 'on' | 'off' | 'unlisted';
  /** How long an ID token is valid; an hour by default. */
  readonly idTokenSeconds?: number;
  /** The services that access tokens may be for, besides the provider itself (RFC 8707); none by default. */
  readonly resources?: readonly string[];
  /** A web application that signs people in from their browser, as the public client `consoleClientId`. */
  readonly console?: WebConsole;
}

export interface WebConsole {
  /** Where browsers reach it, `http://HOST:PORT`. */
  readonly origin: string;
  /** Whether it may renew a sign-in by a refresh token; else only in a frame, by the session of the browser. */
  readonly refreshTokens: boolean;
}

export interface Person {
  /** The `sub` claim. */
  readonly uid: string;
  /** If absent, the token has no such claim. */
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
  signIn(person: Person, resource?: string): Promise<SignedIn>;
  /** Plays the person's browser at an address of the provider; returns the first address outside it, or null at its last page. */
  browse(person: Person, address: string): Promise<string | null>;
  /** Who signs in from now on at the login page, whatever browser opens it. */
  expect(person: Person): void;
  /** Whether a page of `WebConsole` may read what the provider answers it (CORS); it may at first. */
  letPagesAsk(allowed: boolean): void;
  /** An access token for the resource that a machine gets by its own credentials; its subject is `machineId`. */
  machineToken(resource: string): Promise<string>;
  /** Starts to sign with a new key; the earlier ones stay published. */
  rotate(): void;
  /** Publishes only the key that signs now. */
  retire(): void;
  /** How often each document was requested. */
  requests(): { readonly discovery: number; readonly keys: number };
  readonly control: ServerControl;
  close(): Promise<void>;
}

/** A real OpenID Connect provider on loopback, `http://127.0.0.1:PORT`. */
export async function startIdentityProvider({
  clientId = 'portico',
  algorithm = 'RS256',
  deviceFlow = 'off',
  idTokenSeconds = 3_600,
  resources = [],
  console,
}: IdentityProviderOptions = {}): Promise<TestIdentityProvider> {
  const people = new Map<string, Person>();
  const fixed = {
    ...{ clientId, algorithm, deviceFlow, idTokenSeconds, resources, console, people },
    signIns: signInsInMemory(),
    pages: { mayAsk: true },
    // The sessions of browsers outlive a new signing key.
    cookieKeys: [randomUUID()],
  };
  const requests = { discovery: 0, keys: 0 };
  const browsing: { person: Person | null } = { person: null };
  let keys = [newSigningKey(algorithm)];
  let provider: Provider | null = null;

  const server = createServer((request, response) => {
    if (request.url === '/.well-known/openid-configuration') requests.discovery += 1;
    if (request.url === '/jwks') requests.keys += 1;
    void loopback.awake.then(() => answer(request, response));
  });
  // A kept-alive connection would be dead after a stop, especially for the test's own requests.
  server.maxRequestsPerSocket = 1;
  const loopback = await LoopbackServer.start(server);
  const issuer = `http://127.0.0.1:${loopback.port}`;

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const now = (provider ??= new Provider(issuer, configuration({ ...fixed, keys })));
    if (request.url?.startsWith(interactionPath)) {
      logIn(now, browsing.person, request, response).catch((error: unknown) => response.destroy(error as Error));
    } else void now.callback()(request, response);
  };
  const expect = (person: Person): void => {
    people.set(person.uid, person);
    browsing.person = person;
  };
  const publish = (next: readonly JWK[]): void => {
    keys = [...next];
    provider = null;
  };

  return {
    issuer,
    clientId,
    signIn: async (person, resource) => {
      people.set(person.uid, person);
      const asked = resource === undefined ? {} : { resource };
      return signInByCode({ issuer, clientId, redirectUri, scope, uid: person.uid, ...asked });
    },
    browse: (person, address) => {
      expect(person);
      return browseFrom(address, issuer);
    },
    expect,
    letPagesAsk: (allowed) => void (fixed.pages.mayAsk = allowed),
    machineToken: (resource) =>
      tokenByCredentials({ issuer, clientId: machineId, clientSecret: machineSecret, resource }),
    rotate: () => publish([newSigningKey(algorithm), ...keys]),
    retire: () => publish(keys.slice(0, 1)),
    requests: () => ({ ...requests }),
    control: loopback,
    close: () => loopback.stop(),
  };
}

/** Nothing listens there: the code is read from the address. */
const redirectUri = 'https://app.example.com/callback';
const scope = 'openid email';
const interactionPath = '/interaction/';
/** A client that acts for itself. */
export const machineId = 'a-machine';
const machineSecret = randomUUID();
/** The public client of `WebConsole`. */
export const consoleClientId = 'portico-console';

const newSigningKey = (algorithm: SigningAlgorithm): JWK => ({
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

interface Known {
  readonly clientId: string;
  readonly algorithm: SigningAlgorithm;
  readonly deviceFlow: 'on' | 'off' | 'unlisted';
  readonly idTokenSeconds: number;
  readonly resources: readonly string[];
  readonly console: WebConsole | undefined;
  readonly keys: JWK[];
  readonly cookieKeys: string[];
  readonly people: ReadonlyMap<string, Person>;
  readonly signIns: AdapterFactory;
  readonly pages: { readonly mayAsk: boolean };
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** The system chooses the port (RFC 8252, section 7.3). */
const loopbackUri = 'http://127.0.0.1/callback';

const configuration = ({
  clientId,
  algorithm,
  deviceFlow,
  idTokenSeconds,
  resources,
  console,
  keys,
  cookieKeys,
  people,
  signIns,
  pages,
}: Known): Configuration => ({
  adapter: signIns,
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
    ...(console ? [consoleClient(console, algorithm)] : []),
  ],
  clientBasedCORS: (_context, origin) => pages.mayAsk && origin === console?.origin,
  issueRefreshToken: async (_context, client, { scopes }) =>
    client.grantTypeAllowed('refresh_token') && (scopes.has('offline_access') || client.clientId === consoleClientId),
  cookies: { keys: cookieKeys },
  claims: { openid: ['sub'], email: ['email', 'email_verified'] },
  // The e-mail belongs in the ID token, not behind another request.
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

/** As a web application: a native one could not renew a sign-in without its user (RFC 8252, section 8.6). */
const consoleClient = ({ origin, refreshTokens }: WebConsole, algorithm: SigningAlgorithm): ClientMetadata => ({
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
}: Pick<Known, 'algorithm' | 'deviceFlow' | 'resources'>): Configuration['features'] => ({
  devInteractions: { enabled: false },
  rpInitiatedLogout: { enabled: true, logoutSource: async (context, form) => void (context.body = logOutPage(form)) },
  clientCredentials: { enabled: true },
  revocation: { enabled: true, allowedPolicy: async () => true },
  deviceFlow: {
    enabled: deviceFlow !== 'off',
    // Pages with a form and nothing else, as `browseFrom` reads them.
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

/** Loads nothing, unlike the provider's own. */
const logOutPage = (form: string): string =>
  `<!doctype html><html lang="en"><head><title>Sign out</title><link rel="icon" href="data:,"></head><body>${form}` +
  '<button type="submit" form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button></body></html>';

const claimsOf = ({ uid, email, emailVerified }: Person) => ({
  sub: uid,
  ...(email === undefined ? {} : { email }),
  ...(emailVerified === undefined ? {} : { email_verified: emailVerified }),
});

/** Replaces a login page: signs in the person that the application names, or who browses; consents to everything. */
const logIn = async (
  provider: Provider,
  browsing: Person | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const { params, prompt } = await provider.interactionDetails(request, response);
  const hint = params['login_hint'];
  const accountId = typeof hint === 'string' ? hint : browsing?.uid;
  const result = prompt.name === 'consent' ? { consent: {} } : { login: { accountId: String(accountId) } };
  await provider.interactionFinished(request, response, result);
};
