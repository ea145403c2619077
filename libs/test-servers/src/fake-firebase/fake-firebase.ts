import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { LoopbackServer } from '../loopback-server.ts';
import type { ServerControl } from '../server-process.ts';
import { SigningKeys } from './signing-keys.ts';

export interface FirebasePerson {
  /** The `sub` of the ID tokens. */
  readonly uid: string;
  readonly email: string;
  readonly password: string;
  /** Whether the email is verified; false by default. */
  readonly emailVerified?: boolean;
  readonly disabled?: boolean;
  /** Whether signing in requires more than the password. */
  readonly requiresSecondFactor?: boolean;
}

export interface FakeFirebaseOptions {
  readonly people?: readonly FirebasePerson[];
  /** The id of the Firebase project; `demo-portico` by default. */
  readonly projectId?: string;
  readonly apiKey?: string;
  /** The lifetime of an ID token; an hour by default, as with Firebase. */
  readonly tokenSeconds?: number;
  /**
   * Whether errors conceal whether an email is known, as in projects created since September 2023; true by default.
   */
  readonly hidesEmails?: boolean;
}

export interface FirebaseCall {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * Starts a server that implements the REST API of Firebase Authentication, at the same paths as Firebase's emulator.
 */
export const startFakeFirebase = async (options: FakeFirebaseOptions = {}): Promise<FakeFirebase> => {
  const fake = new FakeFirebase(options);
  await fake.listen();
  return fake;
};

const signInPath = '/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword';
const tokenPath = '/securetoken.googleapis.com/v1/token';

/**
 * A fake Firebase Authentication. Unlike Firebase's own emulator, it signs its ID tokens and publishes the keys
 * at its own URL.
 */
export class FakeFirebase {
  readonly projectId: string;
  readonly apiKey: string;
  /** The lifetime of ID tokens that are issued from now on. */
  tokenSeconds: number;
  /** The error message for every sign-in; null if sign-ins are not rejected. */
  signInError: string | null = null;
  /** All requests so far, in order, except preflights. */
  readonly calls: FirebaseCall[] = [];
  readonly #hidesEmails: boolean;
  readonly #people = new Map<string, FirebasePerson>();
  readonly #refreshTokens = new Map<string, { readonly uid: string; readonly authTime: number }>();
  readonly #keys = new SigningKeys();
  #loopback: LoopbackServer | null = null;

  constructor({
    people = [],
    projectId = 'demo-portico',
    apiKey = 'AIzaSyStandIn-0123456789_abcdefghijklmno',
    tokenSeconds = 3_600,
    hidesEmails = true,
  }: FakeFirebaseOptions) {
    this.projectId = projectId;
    this.apiKey = apiKey;
    this.tokenSeconds = tokenSeconds;
    this.#hidesEmails = hidesEmails;
    for (const person of people) this.put(person);
  }

  /** The server's `HOST:PORT`, as in `FIREBASE_AUTH_EMULATOR_HOST`. */
  get host(): string {
    return `127.0.0.1:${this.control.port}`;
  }

  /** The issuer, in place of `https://securetoken.google.com/PROJECT`. */
  get issuer(): string {
    return `http://${this.host}/securetoken.google.com/${this.projectId}`;
  }

  /** The environment variables of a service that trusts this fake and lets people sign in with it. */
  get variables(): Readonly<Record<string, string>> {
    return {
      IDENTITY_ISSUER: this.issuer,
      IDENTITY_AUDIENCE: this.projectId,
      IDENTITY_FIREBASE_API_KEY: this.apiKey,
      FIREBASE_AUTH_EMULATOR_HOST: this.host,
    };
  }

  /** Stops, starts (on the same port), pauses and resumes the server. */
  get control(): ServerControl & { readonly port: number } {
    if (!this.#loopback) throw new Error('The fake is not listening');
    return this.#loopback;
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    this.#loopback = await LoopbackServer.start(server);
  }

  async close(): Promise<void> {
    await this.#loopback?.stop();
  }

  /** Adds a person, or replaces the one with this `uid`. */
  put(person: FirebasePerson): void {
    this.#people.set(person.uid, person);
  }

  /** Removes the person, which invalidates the person's refresh tokens. */
  remove(uid: string): void {
    this.#people.delete(uid);
  }

  /** Revokes all of the person's refresh tokens, as a password change does. */
  revoke(uid: string): void {
    for (const [token, { uid: owner }] of this.#refreshTokens) if (owner === uid) this.#refreshTokens.delete(token);
  }

  /** Starts signing with a new key. Earlier keys remain published. */
  rotate(): void {
    this.#keys.rotate();
  }

  /** Publishes only the current signing key. */
  retireOldKeys(): void {
    this.#keys.retireOldKeys();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    await this.#loopback?.resumed;
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${this.host}`);
    allowOrigin(request, response);
    if (request.method === 'OPTIONS') return allowPreflight(request, response);
    this.calls.push({ path: pathname, headers: request.headers, body });
    send(response, this.#respond(`${request.method} ${pathname}`, searchParams.get('key'), body));
  }

  #respond(route: string, key: string | null, body: string): JsonResponse {
    const issuerPath = new URL(this.issuer).pathname;
    if (route === `GET ${issuerPath}/.well-known/openid-configuration`)
      return { status: 200, body: this.#createDiscoveryDocument() };
    if (route === `GET ${issuerPath}/jwks`) return { status: 200, body: { keys: this.#keys.listPublished() } };
    if (route !== `POST ${signInPath}` && route !== `POST ${tokenPath}`) {
      return { status: 404, body: { error: { code: 404, message: 'Not Found' } } };
    }
    if (key === null) {
      const message =
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
      return { status: 403, body: { error: { code: 403, message, status: 'PERMISSION_DENIED' } } };
    }
    if (key !== this.apiKey)
      return createErrorResponse('API key not valid. Please pass a valid API key.', 'INVALID_ARGUMENT');
    return route === `POST ${signInPath}` ? this.#signIn(body) : this.#refresh(new URLSearchParams(body));
  }

  #createDiscoveryDocument(): object {
    return {
      issuer: this.issuer,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  #signIn(text: string): JsonResponse {
    const { email, password } = fieldsOf(text);
    if (typeof email !== 'string' || !/^[^@\s]+@[^@\s]+$/.test(email)) return createErrorResponse('INVALID_EMAIL');
    if (typeof password !== 'string' || password === '') return createErrorResponse('MISSING_PASSWORD');
    if (this.signInError !== null) return createErrorResponse(this.signInError);
    const person = [...this.#people.values()].find((candidate) => candidate.email === email.toLowerCase());
    if (!person) return createErrorResponse(this.#hidesEmails ? 'INVALID_LOGIN_CREDENTIALS' : 'EMAIL_NOT_FOUND');
    if (person.password !== password) {
      return createErrorResponse(this.#hidesEmails ? 'INVALID_LOGIN_CREDENTIALS' : 'INVALID_PASSWORD');
    }
    if (person.disabled) return createErrorResponse('USER_DISABLED');
    const account = { kind: 'identitytoolkit#VerifyPasswordResponse', localId: person.uid, email: person.email };
    if (person.requiresSecondFactor) {
      const mfaInfo = [{ mfaEnrollmentId: randomUUID(), displayName: 'phone', phoneInfo: '+*******1234' }];
      const pendingResponse = { ...account, registered: true, mfaPendingCredential: randomUUID(), mfaInfo };
      return { status: 200, body: pendingResponse };
    }
    const authTime = getNowSeconds();
    const refreshToken = randomUUID();
    this.#refreshTokens.set(refreshToken, { uid: person.uid, authTime });
    return {
      status: 200,
      body: {
        ...account,
        displayName: '',
        idToken: this.#createIdToken(person, authTime),
        registered: true,
        refreshToken,
        expiresIn: String(this.tokenSeconds),
      },
    };
  }

  #refresh(form: URLSearchParams): JsonResponse {
    const grantType = form.get('grant_type');
    const refreshToken = form.get('refresh_token');
    if (!grantType) return createErrorResponse('MISSING_GRANT_TYPE', 'INVALID_ARGUMENT');
    if (grantType !== 'refresh_token') return createErrorResponse('INVALID_GRANT_TYPE', 'INVALID_ARGUMENT');
    if (!refreshToken) return createErrorResponse('MISSING_REFRESH_TOKEN', 'INVALID_ARGUMENT');
    const grant = this.#refreshTokens.get(refreshToken);
    if (!grant) return createErrorResponse('TOKEN_EXPIRED', 'INVALID_ARGUMENT');
    const person = this.#people.get(grant.uid);
    if (!person) return createErrorResponse('USER_NOT_FOUND', 'INVALID_ARGUMENT');
    if (person.disabled) return createErrorResponse('USER_DISABLED', 'INVALID_ARGUMENT');
    const idToken = this.#createIdToken(person, grant.authTime);
    return {
      status: 200,
      body: {
        access_token: idToken,
        expires_in: String(this.tokenSeconds),
        token_type: 'Bearer',
        refresh_token: refreshToken,
        id_token: idToken,
        user_id: person.uid,
        project_id: '123456789012',
      },
    };
  }

  #createIdToken({ uid, email, emailVerified = false }: FirebasePerson, authTime: number): string {
    const now = getNowSeconds();
    return this.#keys.sign({
      iss: this.issuer,
      aud: this.projectId,
      auth_time: authTime,
      user_id: uid,
      sub: uid,
      iat: now,
      exp: now + this.tokenSeconds,
      email,
      email_verified: emailVerified,
      firebase: { identities: { email: [email] }, sign_in_provider: 'password' },
    });
  }
}

interface JsonResponse {
  readonly status: number;
  readonly body: object;
}

const getNowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** Returns an error response. Firebase's two services format their errors differently: only one includes a status. */
const createErrorResponse = (message: string, status?: 'INVALID_ARGUMENT'): JsonResponse => ({
  status: 400,
  body: {
    error:
      status === undefined
        ? { code: 400, message, errors: [{ message, domain: 'global', reason: 'invalid' }] }
        : { code: 400, message, status },
  },
});

const fieldsOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** Allows calls from any page, without cookies. */
const allowOrigin = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('vary', 'Origin, X-Origin, Referer');
  if (headers.origin !== undefined) response.setHeader('access-control-allow-origin', headers.origin);
};

const allowPreflight = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('access-control-allow-methods', 'DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT');
  response.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '');
  response.setHeader('access-control-max-age', '3600');
  response.end();
};

const send = (response: ServerResponse, { status, body }: JsonResponse): void =>
  void response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};
