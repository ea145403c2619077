import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  compose,
  createLogger,
  localAdmin,
  readConfig,
  startBackground,
  version,
  type Environment,
  type LocalUser,
  type Portico,
} from '@portico/composition';
import { createHttpApp, createHttpServer, type HttpServer } from '@portico/http';
import { findFreePort } from '@portico/test-servers';

/** A user of the local issuer with an email address. */
export interface Person {
  readonly uid: string;
  readonly email: string;
  readonly groups?: readonly string[];
}

/** The administrator of a new service. */
export const firstAdmin: Person = { uid: localAdmin.uid, email: localAdmin.email };

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, or its text if it is not JSON. */
  readonly body: unknown;
}

export interface ConsoleService {
  /** `http://127.0.0.1:PORT`. It remains the same when the service is stopped and started again. */
  readonly address: string;
  readonly dataDir: string;
  /** Returns a one-time code like the one that `portico console` prints. */
  readonly codeFor: (person?: Person, minutes?: number) => Promise<string>;
  /** Returns the link that `portico console` prints, or a link to the given page of the console. */
  readonly linkFor: (person?: Person, path?: string) => Promise<string>;
  readonly tokenFor: (person?: Person, seconds?: number) => Promise<string>;
  /** Calls the API as this person; the first admin by default. */
  readonly call: (method: string, path: string, body?: unknown, person?: Person) => Promise<ApiResponse>;
  /** Like `call`, but returns the body, and throws if the call fails. */
  readonly request: <Body = unknown>(method: string, path: string, body?: unknown, person?: Person) => Promise<Body>;
  /** Registers a person and approves them, unless `approved` is false. Returns the id of the profile. */
  readonly register: (person: Person, options?: Registration) => Promise<string>;
  /**
   * Holds a call of a person with access to this API until it is decided, with these arguments as JSON. Returns its id.
   */
  readonly holdCall: (person: Person, collectionId: string, argumentsText: string) => Promise<string>;
  /** Stops listening and closes open connections, as if the service were unavailable. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Registration {
  readonly fullName?: string;
  readonly company?: string;
  /** Whether an admin approves the registration immediately. Default: true. */
  readonly approved?: boolean;
}

const run = promisify(execFile);
const packageRoot = resolve(import.meta.dirname, '..');

/** Builds the files that the service serves at /console, if the sources changed. Concurrent calls are safe. */
const buildConsole = (): Promise<unknown> =>
  run(process.execPath, [join(packageRoot, 'build.mjs'), '--if-changed'], { cwd: packageRoot });

/**
 * Starts the service with its console in this process, composed as `npm start` does: with the embedded stores in a
 * temporary folder, unless the variables specify otherwise.
 */
export const startConsoleService = async (variables: Environment = {}): Promise<ConsoleService> => {
  await buildConsole();
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-console-'));
  const config = readConfig({ DATA_DIR: dataDir, PORT: String(await findFreePort()), ...variables });
  const { port } = config;
  const portico = await compose(config, createLogger('silent', 'portico'), 'http');
  const background = startBackground(portico);
  let server = await startServer(portico, port);
  const address = `http://127.0.0.1:${port}`;
  const { localIssuer, localSignIn } = portico;

  const codeFor: ConsoleService['codeFor'] = async (person = firstAdmin, minutes = 10) => {
    if (!localSignIn) throw new Error('The local issuer is off');
    return localSignIn.invite(userOf(person), Date.now() + minutes * 60_000);
  };
  const tokenFor: ConsoleService['tokenFor'] = async (person = firstAdmin, seconds = 3_600) => {
    if (!localIssuer) throw new Error('The local issuer is off');
    return localIssuer.mint({ ...userOf(person), ttlSeconds: seconds });
  };
  const call: ConsoleService['call'] = async (method, path, body, person = firstAdmin) =>
    callApi(`${address}${path}`, method, await tokenFor(person), body);
  const request: ConsoleService['request'] = async <Body>(
    method: string,
    path: string,
    body?: unknown,
    person?: Person,
  ) => {
    const response = await call(method, path, body, person);
    if (response.status < 400) return response.body as Body;
    throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
  };
  return {
    address,
    dataDir,
    codeFor,
    linkFor: async (person, path = '/') => `${address}/console${path}#code=${await codeFor(person)}`,
    tokenFor,
    call,
    request,
    register: async (person, { fullName = person.uid, company, approved = true } = {}) => {
      const { id } = await request<{ id: string }>(
        'POST',
        '/api/profiles/register',
        {
          firebase_uid: person.uid,
          email: person.email,
          full_name: fullName,
          ...(company === undefined ? {} : { company_name: company }),
        },
        person,
      );
      if (approved) await request('POST', `/api/profiles/${id}/approve`);
      return id;
    },
    holdCall: async (person, collectionId, argumentsText) => {
      const { principal } = await portico.useCases.admit({
        credential: { kind: 'token', token: await tokenFor(person) },
        auth: 'token or key',
        target: { id: collectionId as CollectionId, detail: 'full' },
        sender: { address: '192.0.2.1' },
        deadline: null,
      });
      const operation = { key: 'mfrggzdfmztwq2lk' as OperationKey, method: 'DELETE', path: '/berths/{berth}' };
      return (await portico.useCases.holdCall(principal, operation, argumentsText, null)).id;
    },
    stop: () => server.drain({ noticeMs: 0, timeoutMs: 200 }),
    start: async () => void (server = await startServer(portico, port)),
    close: async () => {
      await server.drain({ noticeMs: 0, timeoutMs: 1_000 });
      await background.stop();
      await portico.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

type UseCases = Portico['useCases'];
type CollectionId = NonNullable<Parameters<UseCases['admit']>[0]['target']>['id'];
type OperationKey = Parameters<UseCases['holdCall']>[1]['key'];

const userOf = ({ uid, email, groups }: Person): LocalUser => ({
  uid,
  email,
  emailVerified: true,
  ...(groups ? { groups } : {}),
});

/** Starts the HTTP server as `apps/http/src/main.ts` does. */
const startServer = async (portico: Portico, port: number): Promise<HttpServer> => {
  const { config, logger, useCases, documents, localIssuer, localSignIn, listIssuerEndpoints } = portico;
  const server = createHttpServer(
    createHttpApp({
      useCases,
      documents,
      settings: { ...config, version },
      logger,
      localIssuer,
      listIssuerEndpoints,
      localSignIn,
      runsJobs: portico.duties.runsJobs,
    }),
  );
  listIssuerEndpoints();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

const callApi = async (url: string, method: string, token: string, body: unknown): Promise<ApiResponse> => {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
};
