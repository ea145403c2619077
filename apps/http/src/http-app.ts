import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { LocalSignIn, Tracing } from '@portico/composition';
import { isPorticoError, PorticoError, type DocumentReader, type UseCases } from '@portico/domain';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { toJsonResponse, send, type RouteResponse } from './responses/route-response.ts';
import { createBodyCache } from './responses/tagged-response.ts';
import { errorStatuses, retrySecondsOf } from './errors.ts';
import {
  bareChallenge,
  beginExchange,
  startSystemTimer,
  type Exchange,
  type ExchangeDependencies,
  type StartTimer,
} from './exchange.ts';
import { createHttpMetrics, observeState, type HttpMetrics } from './metrics.ts';
import { buildOpenApiDocument } from './openapi/openapi-document.ts';
import { handleRoute, type PipelineDependencies } from './pipeline.ts';
import { ClientDisconnected } from './requests/body.ts';
import { createBaseUrlReader } from './requests/base-url.ts';
import { createClientAddressReader, type ReadClientAddress } from './requests/client-address.ts';
import { credentialOf } from './requests/credential.ts';
import { createHostCheck } from './requests/origin.ts';
import { escapeUndecodable, hasValidHost } from './requests/request-target.ts';
import type { LocalIssuerDocuments, Route } from './route.ts';
import { protectedResourceOf } from './routes/oauth.ts';
import { routes } from './routes/table.ts';
import { createConsoleFiles } from './console/console-files.ts';
import { signInOriginsOf } from './console/sign-in-origins.ts';
import type { HttpSettings } from './settings.ts';
import type { RecordUnreadableRequest } from './unreadable.ts';

export interface HttpAppDependencies {
  readonly useCases: UseCases;
  readonly documents: Pick<DocumentReader, 'readMember'>;
  readonly settings: HttpSettings;
  readonly logger: Logger;
  /** Whether this process runs jobs; undefined if that is not known. */
  readonly runsJobs?: boolean | undefined;
  /** The registry for the metrics; a new one by default. */
  readonly registry?: Registry | undefined;
  /** The local issuer's documents; present only if the service is its own identity provider. */
  readonly localIssuer?: LocalIssuerDocuments | null | undefined;
  /**
   * Returns the last known URLs that a browser uses to sign in with the configured issuer, without waiting for the
   * issuer. By default, there are none.
   */
  readonly listIssuerEndpoints?: (() => readonly string[]) | undefined;
  /** The browser sign-in with the local issuer. */
  readonly localSignIn?: LocalSignIn | null | undefined;
  /**
   * The maximum time from the last byte of a request to the start of its response. After that, the response is a 500,
   * and the request makes no more changes, unless its change is already being committed. 9,500 by default.
   */
  readonly responseTimeoutMs?: number;
  /** Records a span for each request. By default, none are recorded. */
  readonly tracing?: Pick<Tracing, 'beginRequest'> | null | undefined;
  /** Starts the timers of deadlines; by default, system timers. */
  readonly startTimer?: StartTimer;
}

/** Shorter than the 15 s after which HAProxy stops waiting (`deploy/haproxy.cfg`). */
const responseTimeoutMsDefault = 9_500;

const bodyCacheBytesMax = 96 * 1_048_576;

/** The listener that handles requests. */
export interface HttpApp extends RequestListener {
  /** Logs and counts data that the server could not parse as a request. */
  readonly recordUnreadableRequest: RecordUnreadableRequest;
  /** Starts draining: from now on, `/ready` reports "not ready", and responses close their connections. */
  readonly startDraining: () => void;
}

/** Creates the application. It uses Express's router, with one route per row of the route table. */
export const createHttpApp = (dependencies: HttpAppDependencies): HttpApp =>
  createAppWithCredentialReader(dependencies, credentialOf);

/** Creates an application that uses a different way to read credentials: see `operator-calls.ts`. */
export const createAppWithCredentialReader = (
  dependencies: HttpAppDependencies,
  readCredential: PipelineDependencies['readCredential'],
): HttpApp => {
  const { settings, logger } = dependencies;
  const protectedResource = protectedResourceOf(settings);
  const readBaseUrl = createBaseUrlReader(settings);
  const table = routes.filter(
    (route) =>
      (dependencies.localIssuer || !route.requiresLocalIssuer) &&
      (protectedResource || !route.requiresAccessTokens) &&
      (settings.calls !== 'only' || isServedWithCalls(route)),
  );
  let hasStartedDraining = false;
  const isDraining = () => hasStartedDraining;
  const registry = dependencies.registry ?? new Registry();
  const metrics = createHttpMetrics(registry, settings.version);
  observeState(registry, dependencies.useCases);
  let openApiText: string | null = null;
  const pipeline: PipelineDependencies = {
    useCases: dependencies.useCases,
    documents: dependencies.documents,
    readCredential,
    settings,
    bodies: createBodyCache({ bytesMax: bodyCacheBytesMax }),
    service: {
      name: settings.serviceName,
      version: settings.version,
      isDraining,
      runsJobs: dependencies.runsJobs ?? null,
      readMetrics: metrics.render,
      getOpenApiDocument: () => (openApiText ??= JSON.stringify(buildOpenApiDocument(table, settings))),
      localIssuer: dependencies.localIssuer ?? null,
      localSignIn: dependencies.localSignIn ?? null,
      readBaseUrl,
      readConsoleUrl: (request) => `${settings.publicUrl ?? readBaseUrl(request)}/console`,
      protectedResource,
      signInWays: settings.signInWays,
      listSignInOrigins: () => signInOriginsOf(settings.signInWays, dependencies.listIssuerEndpoints?.() ?? []),
      consoleFiles: createConsoleFiles(),
    },
  };
  const readAddress = createClientAddressReader(settings.trustProxy);
  const handleRequest = createRequestHandler({ ...dependencies, pipeline, metrics, readAddress, isDraining });
  const recordUnreadableRequest: RecordUnreadableRequest = ({ status, errorCode }, requestId, { remoteAddress }) => {
    const logLine = { route: 'unknown', status, request_id: requestId, address: readAddress(remoteAddress, undefined) };
    metrics.recordRequest('other', 'unknown', status, 0);
    logger.info({ ...logLine, unreadable: errorCode }, 'request');
  };
  const startDraining = () => {
    hasStartedDraining = true;
  };
  return Object.assign(createListener(table, handleRequest), { recordUnreadableRequest, startDraining });
};

/** Whether a process that only calls APIs serves the route. */
const isServedWithCalls = ({ path, isProbe }: Route): boolean =>
  isProbe === true || path === '/mcp' || path.endsWith('/call');

/** The routes of one path, by method. */
type MethodTable = ReadonlyMap<string, Route>;

/** The routes that match a request's path, and its parameters. */
interface PathMatch {
  readonly methods: MethodTable;
  readonly params: Readonly<Record<string, string>>;
}

/** Handles a request; `match` is null if no route has its path, or if the router failed. */
type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  match: PathMatch | null,
  failure?: unknown,
) => Promise<void>;

const createListener = (table: readonly Route[], handleRequest: RequestHandler): RequestListener => {
  const router = express.Router({ caseSensitive: true });
  for (const [path, methods] of groupByPath(table)) {
    router.all(path, (request, response) =>
      handleRequest(request, response, { methods, params: request.params as Record<string, string> }),
    );
  }
  router.use((request, response) => handleRequest(request, response, null));
  router.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    handleRequest(request, response, null, error),
  );
  return (request, response) => {
    request.url = escapeUndecodable(request.url ?? '');
    // The router does not need the properties that an Express application adds to both.
    router(request as Request, response as Response, () => undefined);
  };
};

/** Returns the table's routes by path and method. A trailing slash makes no difference. */
const groupByPath = (table: readonly Route[]): ReadonlyMap<string, MethodTable> => {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of table) {
    const path = route.path.replace(/(?<=.)\/$/, '');
    const methods = paths.get(path) ?? new Map<string, Route>();
    paths.set(path, methods.set(route.method, route));
  }
  return paths;
};

interface RequestHandlerDependencies extends HttpAppDependencies {
  readonly pipeline: PipelineDependencies;
  readonly metrics: HttpMetrics;
  readonly readAddress: ReadClientAddress;
  readonly isDraining: () => boolean;
}

const createRequestHandler = (dependencies: RequestHandlerDependencies): RequestHandler => {
  const { pipeline, metrics, readAddress, isDraining, logger } = dependencies;
  const { responseTimeoutMs = responseTimeoutMsDefault, startTimer = startSystemTimer, tracing = null } = dependencies;
  const checkHost = createHostCheck(dependencies.settings);
  const respondWithError = (exchange: Exchange, error: unknown): Promise<void> => {
    const porticoError = error instanceof PorticoError ? error : new PorticoError('internal', { cause: error });
    const status = errorStatuses[porticoError.code];
    exchange.rateLimit = porticoError.rateLimit ?? exchange.rateLimit;
    if (status === 500)
      logger.error({ err: error, request_id: exchange.requestId, route: exchange.route }, 'request failed');
    if (porticoError.code === 'rate_limited')
      metrics.recordRateLimitedRequest(porticoError.rateLimit?.policy ?? 'at-once');
    const closesConnection = isDraining() || porticoError.code === 'malformed_request';
    return send(exchange, createErrorResponse(porticoError, exchange), status, closesConnection);
  };

  /** Logs work that fails after its deadline has expired: no client is waiting for it any more, and it changed nothing. */
  const recordLateFailure = ({ requestId, route }: Exchange, error: unknown): void => {
    if (isPorticoError(error) && (error.code === 'timed_out' || errorStatuses[error.code] !== 500)) return;
    logger.error({ err: error, request_id: requestId, route }, 'request failed after its response');
  };

  const exchangeDependencies: ExchangeDependencies = {
    readAddress,
    startTimer,
    responseTimeoutMs,
    respondToExpiry: (exchange) =>
      void respondWithError(exchange, new Error(`No response within ${responseTimeoutMs} ms`)),
  };

  const handle = async (
    exchange: Exchange,
    request: IncomingMessage,
    match: PathMatch | null,
    failure: unknown,
  ): Promise<void> => {
    const { deadline, response } = exchange;
    try {
      if (failure !== undefined)
        throw failure instanceof Error ? failure : new Error('Not an Error object', { cause: failure });
      if (!hasValidHost(request)) throw new PorticoError('malformed_request');
      if (!match) throw createNotFoundError(request);
      describeCredentials(match.methods, pipeline.service, exchange);
      const route = routeFor(match.methods, request.method ?? '', exchange);
      if (!route.acceptsAnyHost) checkHost(request);
      const routeResponse = await handleRoute(pipeline, route, exchange, match.params);
      if (deadline.settle()) await send(exchange, routeResponse, route.status, isDraining());
    } catch (error) {
      if (!deadline.settle()) recordLateFailure(exchange, error);
      else if (error instanceof ClientDisconnected) response.destroy();
      else if (response.headersSent) {
        // Part of the response was sent: only a broken connection shows the client that the rest is missing.
        logger.error(
          { err: error, request_id: exchange.requestId, route: exchange.route },
          'response aborted after an error',
        );
        response.destroy();
      } else await respondWithError(exchange, error);
    }
  };

  return (request, response, match, failure) => {
    const exchange = beginExchange(request, response, exchangeDependencies);
    response.on('close', () => close(exchange, logger, metrics));
    if (!tracing) return handle(exchange, request, match, failure);
    exchange.span = beginSpan(tracing, request);
    return exchange.span.run(() => handle(exchange, request, match, failure));
  };
};

const beginSpan = (tracing: Pick<Tracing, 'beginRequest'>, { method = '', httpVersion, headers }: IncomingMessage) =>
  tracing.beginRequest({ method, httpVersion, headers });

/**
 * Completes an exchange. If a client disconnects before the response to a read, abandons the work, which frees its
 * place in a queue.
 */
const close = (exchange: Exchange, logger: Logger, metrics: HttpMetrics): void => {
  const { request, deadline } = exchange;
  if (request.method === 'GET' || request.method === 'HEAD') deadline.abandon();
  record(exchange, logger, metrics);
};

/** Writes the request's log line and updates its metrics. */
const record = (exchange: Exchange, logger: Logger, metrics: HttpMetrics): void => {
  const { request, response, route, isProbe, unreadableData, span } = exchange;
  const ms = performance.now() - exchange.startedAt;
  const status = unreadableData?.status ?? (response.headersSent ? response.statusCode : 499);
  const { method: requestMethod = '' } = request;
  const method = knownMethods.has(requestMethod) ? requestMethod : 'other';
  metrics.recordRequest(method, route, status, ms / 1_000);
  const isComplete = response.writableFinished;
  // Undefined properties are omitted from the line.
  const logFields = {
    method,
    route,
    status,
    ms: Math.round(ms * 1_000) / 1_000,
    request_id: exchange.requestId,
    address: exchange.address,
    user_agent: request.headers['user-agent']?.slice(0, userAgentLengthMax),
    profile_id: exchange.profileId ?? undefined,
    client_id: exchange.clientId ?? undefined,
    service_account_id: exchange.accountId ?? undefined,
    trace_id: span?.traceId,
    unreadable: unreadableData?.errorCode,
    aborted: isComplete || unreadableData ? undefined : true,
  };
  logger[isProbe && status === 200 && isComplete ? 'debug' : 'info'](logFields, 'request');
  span?.end({ route: route === 'unknown' ? null : route, status, requestId: exchange.requestId });
};

const userAgentLengthMax = 256;

const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

const keyDescription = 'an API key of this service in the header X-API-Key, as CLIENT_ID.CLIENT_SECRET';

/**
 * Returns the error for an unknown path. An MCP client without a credential that finds no authorization server tries to
 * register at this service (revision 2025-03-26 of the protocol) and shows the response to its user.
 */
const createNotFoundError = ({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): PorticoError =>
  method === 'POST' && url === '/register'
    ? new PorticoError('not_found', { reason: `there is no sign-in here; MCP clients send ${keyDescription}` })
    : new PorticoError('not_found');

/**
 * Describes the accepted credentials for the errors of a path that also accepts access tokens. Its clients are programs
 * that show the error to a person, who then has to know that an API key is the simplest credential.
 */
const describeCredentials = (
  methods: MethodTable,
  { protectedResource }: Pick<PipelineDependencies['service'], 'protectedResource'>,
  exchange: Exchange,
): void => {
  const [anyRoute] = methods.values();
  if (!anyRoute?.acceptsAccessTokens) return;
  exchange.credentialAdvice = `send ${keyDescription}`;
  exchange.challenge = protectedResource?.challenge ?? exchange.challenge;
};

/** Returns the route for a method. Throws `method_not_allowed` if the path does not support the method. */
const routeFor = (methods: MethodTable, method: string, exchange: Exchange): Route => {
  const [anyRoute] = methods.values();
  exchange.route = anyRoute?.path ?? exchange.route;
  const route = methods.get(method === 'HEAD' ? 'GET' : method);
  if (!route) throw new MethodNotAllowed([...methods.keys()]);
  exchange.isProbe = route.isProbe ?? false;
  return route;
};

class MethodNotAllowed extends PorticoError {
  readonly allowedMethods: string;

  constructor(methods: readonly string[]) {
    super('method_not_allowed');
    this.allowedMethods = (
      methods.includes('GET') ? ['GET', 'HEAD', ...methods.filter((method) => method !== 'GET')] : methods
    ).join(', ');
  }
}

const createErrorResponse = (
  error: PorticoError,
  { challenge, credentialAdvice }: Pick<Exchange, 'challenge' | 'credentialAdvice'>,
): RouteResponse => {
  const { code, message: detail, retryAfterSeconds } = error;
  const status = errorStatuses[code];
  if (error instanceof MethodNotAllowed) {
    // Some clients look for the challenge in the response to a GET.
    const challengeHeaders = challenge === bareChallenge ? {} : { 'WWW-Authenticate': challenge };
    return toJsonResponse({ detail }, { Allow: error.allowedMethods, ...challengeHeaders });
  }
  if (error.errors.length > 0) return toJsonResponse({ detail, errors: error.errors.map((entry) => ({ ...entry })) });
  if (status === 401) {
    const fullDetail = credentialAdvice === null ? detail : `${detail}: ${credentialAdvice}`;
    return toJsonResponse({ detail: fullDetail }, { 'WWW-Authenticate': challenge });
  }
  if (code !== 'rate_limited') {
    return toJsonResponse({ detail }, retryAfterSeconds === null ? {} : { 'Retry-After': String(retryAfterSeconds) });
  }
  const retryAfter = retrySecondsOf(error);
  return toJsonResponse({ detail, retry_after: retryAfter }, { 'Retry-After': String(retryAfter) });
};
