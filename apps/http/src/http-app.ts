import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { LocalSignIn, Tracing } from '@portico/composition';
import { isPorticoError, PorticoError, type DocumentReader, type UseCases } from '@portico/domain';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { json, send, type RouteResponse } from './responses/route-response.ts';
import { createBodyCache } from './responses/tagged-response.ts';
import { errorStatuses, retrySecondsOf } from './errors.ts';
import { beginExchange, systemTimer, type Exchange, type ExchangeFacts, type Timer } from './exchange.ts';
import { createHttpMetrics, observeState, type HttpMetrics } from './metrics.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { handleRoute, type PipelineFacts } from './pipeline.ts';
import { ClientGone } from './requests/body.ts';
import { createBaseUrlReader } from './requests/base-url.ts';
import { createClientAddressReader, type ReadClientAddress } from './requests/client-address.ts';
import { credentialOf } from './requests/credential.ts';
import { escapeUndecodable, namesHost } from './requests/request-target.ts';
import type { LocalIssuerDocuments, Route } from './route.ts';
import { protectedResourceOf } from './routes/oauth.ts';
import { routes } from './routes/table.ts';
import { createConsoleFiles } from './console/console-files.ts';
import { signInOriginsOf } from './console/sign-in-origins.ts';
import type { HttpSettings } from './settings.ts';
import type { RecordUnreadable } from './unreadable.ts';

export interface HttpAppFacts {
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
   * Returns the last known addresses that a browser uses to sign in with the configured issuer, without waiting for the
   * issuer. By default, there are none.
   */
  readonly issuerEndpoints?: (() => readonly string[]) | undefined;
  /** The browser sign-in with the local issuer. */
  readonly localSignIn?: LocalSignIn | null | undefined;
  /**
   * The maximum time from the last byte of a request to the start of its response. After that, the response is a 500,
   * and the request makes no more changes, unless its change is already being committed. 9,500 by default.
   */
  readonly responseTimeoutMs?: number;
  /** Records a span for each request. By default, none are recorded. */
  readonly tracing?: Pick<Tracing, 'beginRequest'> | null | undefined;
  /** The timer for deadlines; the system's by default. */
  readonly timer?: Timer;
}

/** Shorter than the 15 s after which HAProxy stops waiting (`deploy/haproxy.cfg`). */
const responseTimeoutMsDefault = 9_500;

const bodyCacheBytesMax = 96 * 1_048_576;

/** The listener that handles requests. */
export interface HttpApp extends RequestListener {
  /** Logs and counts data that the server could not parse as a request. */
  readonly recordUnreadable: RecordUnreadable;
  /** Starts draining: from now on, `/ready` reports "not ready", and responses close their connections. */
  readonly startDraining: () => void;
}

/** Creates the application. It uses Express's router, with one route per row of the route table. */
export const createHttpApp = (facts: HttpAppFacts): HttpApp => createAppFor(facts, credentialOf);

/** Creates an application that uses a different way to read credentials: see `operator-calls.ts`. */
export const createAppFor = (facts: HttpAppFacts, readCredential: PipelineFacts['readCredential']): HttpApp => {
  const { settings, logger } = facts;
  const protectedResource = protectedResourceOf(settings);
  const table = routes.filter(
    (route) => (facts.localIssuer || !route.requiresLocalIssuer) && (protectedResource || !route.requiresAccessTokens),
  );
  let draining = false;
  const isDraining = () => draining;
  const registry = facts.registry ?? new Registry();
  const metrics = createHttpMetrics(registry, settings.version);
  observeState(registry, facts.useCases);
  let openApi: string | null = null;
  const pipeline: PipelineFacts = {
    useCases: facts.useCases,
    documents: facts.documents,
    readCredential,
    settings,
    bodies: createBodyCache({ bytesMax: bodyCacheBytesMax }),
    service: {
      name: settings.serviceName,
      version: settings.version,
      isDraining,
      runsJobs: facts.runsJobs ?? null,
      metrics: metrics.text,
      openApi: () => (openApi ??= JSON.stringify(openApiDocument(table, settings))),
      localIssuer: facts.localIssuer ?? null,
      localSignIn: facts.localSignIn ?? null,
      baseUrl: createBaseUrlReader(settings),
      protectedResource,
      signInWays: settings.signInWays,
      signInOrigins: () => signInOriginsOf(settings.signInWays, facts.issuerEndpoints?.() ?? []),
      consoleFiles: createConsoleFiles(),
    },
  };
  const readAddress = createClientAddressReader(settings.trustProxy);
  const serve = createServing({ ...facts, pipeline, metrics, readAddress, isDraining });
  const recordUnreadable: RecordUnreadable = ({ status, errorCode }, requestId, { remoteAddress }) => {
    const line = { route: 'unknown', status, request_id: requestId, address: readAddress(remoteAddress, undefined) };
    metrics.requestCompleted('other', 'unknown', status, 0);
    logger.info({ ...line, unreadable: errorCode }, 'request');
  };
  const startDraining = () => {
    draining = true;
  };
  return Object.assign(createListener(table, serve), { recordUnreadable, startDraining });
};

/** The routes of one path, by method. */
type MethodTable = ReadonlyMap<string, Route>;

/** The routes that match a request's path, and its parameters. */
interface PathMatch {
  readonly methods: MethodTable;
  readonly params: Readonly<Record<string, string>>;
}

/** Handles a request; `match` is null if no route has its path, or if the router failed. */
type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  match: PathMatch | null,
  failure?: unknown,
) => Promise<void>;

const createListener = (table: readonly Route[], serve: Serve): RequestListener => {
  const router = express.Router({ caseSensitive: true });
  for (const [path, methods] of byPath(table)) {
    router.all(path, (request, response) =>
      serve(request, response, { methods, params: request.params as Record<string, string> }),
    );
  }
  router.use((request, response) => serve(request, response, null));
  router.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    serve(request, response, null, error),
  );
  return (request, response) => {
    request.url = escapeUndecodable(request.url ?? '');
    // The router does not need the properties that an Express application adds to both.
    router(request as Request, response as Response, () => undefined);
  };
};

/** Returns the table's routes by path and method. A trailing slash makes no difference. */
const byPath = (table: readonly Route[]): ReadonlyMap<string, MethodTable> => {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of table) {
    const path = route.path.replace(/(?<=.)\/$/, '');
    const methods = paths.get(path) ?? new Map<string, Route>();
    paths.set(path, methods.set(route.method, route));
  }
  return paths;
};

interface ServingFacts extends HttpAppFacts {
  readonly pipeline: PipelineFacts;
  readonly metrics: HttpMetrics;
  readonly readAddress: ReadClientAddress;
  readonly isDraining: () => boolean;
}

const createServing = (facts: ServingFacts): Serve => {
  const { pipeline, metrics, readAddress, isDraining, logger } = facts;
  const { responseTimeoutMs = responseTimeoutMsDefault, timer = systemTimer, tracing = null } = facts;
  const refuse = (exchange: Exchange, error: unknown): Promise<void> => {
    const refusal = error instanceof PorticoError ? error : new PorticoError('internal', { cause: error });
    const status = errorStatuses[refusal.code];
    exchange.counted = refusal.counted ?? exchange.counted;
    if (status === 500)
      logger.error({ err: error, request_id: exchange.requestId, route: exchange.route }, 'request failed');
    if (refusal.code === 'rate_limited') metrics.requestRefused(refusal.counted?.policy ?? 'at-once');
    const closing = isDraining() || refusal.code === 'malformed_request';
    return send(exchange, refusalResponse(refusal, exchange.challenge), status, closing);
  };

  /** Logs work that fails after its deadline has expired: no client waits for it, and it changed nothing. */
  const recordLate = ({ requestId, route }: Exchange, error: unknown): void => {
    if (isPorticoError(error) && (error.code === 'timed_out' || errorStatuses[error.code] !== 500)) return;
    logger.error({ err: error, request_id: requestId, route }, 'request failed after its response');
  };

  const exchangeFacts: ExchangeFacts = {
    readAddress,
    timer,
    responseTimeoutMs,
    respondToExpiry: (exchange) => void refuse(exchange, new Error(`No response within ${responseTimeoutMs} ms`)),
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
        throw failure instanceof Error ? failure : new Error('Not an error', { cause: failure });
      if (!namesHost(request)) throw new PorticoError('malformed_request');
      if (!match) throw new PorticoError('not_found');
      const route = routeFor(match.methods, request.method ?? '', exchange);
      const routeResponse = await handleRoute(pipeline, route, exchange, match.params);
      if (deadline.settle()) await send(exchange, routeResponse, route.status, isDraining());
    } catch (error) {
      if (!deadline.settle()) recordLate(exchange, error);
      else if (error instanceof ClientGone) response.destroy();
      else if (response.headersSent) {
        // Part of the response was sent: only a broken connection shows the client that the rest is missing.
        logger.error({ err: error, request_id: exchange.requestId, route: exchange.route }, 'response cut off');
        response.destroy();
      } else await refuse(exchange, error);
    }
  };

  return (request, response, match, failure) => {
    const exchange = beginExchange(request, response, exchangeFacts);
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
  const { request, response, route, isProbe, unreadable, span } = exchange;
  const ms = performance.now() - exchange.startedAt;
  const status = unreadable?.status ?? (response.headersSent ? response.statusCode : 499);
  const { method: requestMethod = '' } = request;
  const method = knownMethods.has(requestMethod) ? requestMethod : 'other';
  metrics.requestCompleted(method, route, status, ms / 1_000);
  const isWhole = response.writableFinished;
  // Undefined properties are omitted from the line.
  const facts = {
    method,
    route,
    status,
    ms: Math.round(ms * 1_000) / 1_000,
    request_id: exchange.requestId,
    address: exchange.address,
    user_agent: request.headers['user-agent']?.slice(0, userAgentUnitsMax),
    profile_id: exchange.profileId ?? undefined,
    client_id: exchange.clientId ?? undefined,
    service_account_id: exchange.accountId ?? undefined,
    trace_id: span?.traceId,
    unreadable: unreadable?.errorCode,
    aborted: isWhole || unreadable ? undefined : true,
  };
  logger[isProbe && status === 200 && isWhole ? 'debug' : 'info'](facts, 'request');
  span?.end({ route: route === 'unknown' ? null : route, status, requestId: exchange.requestId });
};

const userAgentUnitsMax = 256;

const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);

/** Returns the route for a method. Throws `method_not_allowed` if the path does not support the method. */
const routeFor = (methods: MethodTable, method: string, exchange: Exchange): Route => {
  const [first] = methods.values();
  exchange.route = first?.path ?? exchange.route;
  const route = methods.get(method === 'HEAD' ? 'GET' : method);
  if (!route) throw new MethodNotAllowed([...methods.keys()]);
  exchange.isProbe = route.probe ?? false;
  return route;
};

class MethodNotAllowed extends PorticoError {
  readonly allow: string;

  constructor(methods: readonly string[]) {
    super('method_not_allowed');
    this.allow = (methods.includes('GET') ? ['GET', 'HEAD', ...methods.filter((m) => m !== 'GET')] : methods).join(
      ', ',
    );
  }
}

const refusalResponse = (refusal: PorticoError, challenge: string): RouteResponse => {
  const { code, message: detail, retryAfterSeconds } = refusal;
  const status = errorStatuses[code];
  if (refusal instanceof MethodNotAllowed) return json({ detail }, { Allow: refusal.allow });
  if (status === 401) return json({ detail }, { 'WWW-Authenticate': challenge });
  if (code !== 'rate_limited') {
    return json({ detail }, retryAfterSeconds === null ? {} : { 'Retry-After': String(retryAfterSeconds) });
  }
  const retryAfter = retrySecondsOf(refusal);
  return json({ detail, retry_after: retryAfter }, { 'Retry-After': String(retryAfter) });
};
