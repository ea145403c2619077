import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { LocalSignIn, Tracing } from '@portico/composition';
import { isPorticoError, PorticoError, type DocumentReader, type UseCases } from '@portico/domain';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { json, send, type Answer } from './answers/answer.ts';
import { createBodyCache } from './answers/tagged-answer.ts';
import { errorStatuses, retrySecondsOf } from './errors.ts';
import { beginExchange, systemTimer, type Exchange, type ExchangeFacts, type Timer } from './exchange.ts';
import { createHttpMetrics, observeState, type HttpMetrics } from './metrics.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { answerRoute, type PipelineFacts } from './pipeline.ts';
import { ClientGone } from './requests/body.ts';
import { createBaseUrlReader } from './requests/base-url.ts';
import { createClientAddressReader, type ReadClientAddress } from './requests/client-address.ts';
import { credentialOf } from './requests/credential.ts';
import { decodable, namesHost } from './requests/request-target.ts';
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
  /** Whether this process runs jobs, if that is known. */
  readonly runsJobs?: boolean | undefined;
  /** Where the metrics go; a new one by default. */
  readonly registry?: Registry | undefined;
  /** Present while the service is its own identity provider. */
  readonly localIssuer?: LocalIssuerDocuments | null | undefined;
  /**
   * The addresses of the configured issuer that a browser uses for signing in, as last known; none by default. It must
   * not wait for the issuer.
   */
  readonly issuerEndpoints?: (() => readonly string[]) | undefined;
  /** How browsers sign in at it. */
  readonly localSignIn?: LocalSignIn | null | undefined;
  /**
   * How long an answer may take to begin after the last byte of its request; then it is a 500, and the request changes
   * nothing any more, unless its change is being committed. 9,500 by default.
   */
  readonly answerTimeoutMs?: number;
  /** Records a span of each request; nothing by default. */
  readonly tracing?: Pick<Tracing, 'beginRequest'> | null | undefined;
  /** The system's timer by default. */
  readonly timer?: Timer;
}

/** Below the 15 s after which HAProxy gives up waiting (`deploy/haproxy.cfg`). */
const answerTimeoutMsDefault = 9_500;

const bodyCacheBytesMax = 96 * 1_048_576;

/** Answers requests. */
export interface HttpApp extends RequestListener {
  /** For the server: what could not be parsed as a request is logged and measured all the same. */
  readonly recordUnreadable: RecordUnreadable;
  /** From now on `/ready` says no, and answers close their connections. */
  readonly startDraining: () => void;
}

/** Creates the application. Its router is that of Express; each row of the route table is a route of it. */
export const createHttpApp = (facts: HttpAppFacts): HttpApp => createAppFor(facts, credentialOf);

/** The same for callers whose credentials are read in another way than from their headers: see `operator-calls.ts`. */
export const createAppFor = (facts: HttpAppFacts, readCredential: PipelineFacts['readCredential']): HttpApp => {
  const { settings, logger } = facts;
  const protectedResource = protectedResourceOf(settings);
  const table = routes.filter(
    (route) => (facts.localIssuer || !route.ofLocalIssuer) && (protectedResource || !route.ofAccessTokens),
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
    metrics.requestAnswered('other', 'unknown', status, 0);
    logger.info({ ...line, unreadable: errorCode }, 'request');
  };
  const startDraining = () => {
    draining = true;
  };
  return Object.assign(createListener(table, serve), { recordUnreadable, startDraining });
};

/** The routes of one path, by method. */
type MethodTable = ReadonlyMap<string, Route>;

/** What a request's path names. */
interface FoundPath {
  readonly methods: MethodTable;
  readonly params: Readonly<Record<string, string>>;
}

/** Answers a request; `found` is null if its path names nothing, or if the router failed. */
type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  found: FoundPath | null,
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
    request.url = decodable(request.url ?? '');
    // The router needs none of what an application of Express adds to both.
    router(request as Request, response as Response, () => undefined);
  };
};

/** The routes of each path of a table, by method; a trailing slash makes no difference. */
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
  const { answerTimeoutMs = answerTimeoutMsDefault, timer = systemTimer, tracing = null } = facts;
  const refuse = (exchange: Exchange, error: unknown): Promise<void> => {
    const refusal = error instanceof PorticoError ? error : new PorticoError('internal', { cause: error });
    const status = errorStatuses[refusal.code];
    exchange.counted = refusal.counted ?? exchange.counted;
    if (status === 500)
      logger.error({ err: error, request_id: exchange.requestId, route: exchange.route }, 'request failed');
    if (refusal.code === 'rate_limited') metrics.requestRefused(refusal.counted?.policy ?? 'at-once');
    const closing = isDraining() || refusal.code === 'malformed_request';
    return send(exchange, refusalAnswer(refusal, exchange.challenge), status, closing);
  };

  /** For work that fails after its deadline was answered: no client waits for it, and it changed nothing. */
  const recordLate = ({ requestId, route }: Exchange, error: unknown): void => {
    if (isPorticoError(error) && (error.code === 'timed_out' || errorStatuses[error.code] !== 500)) return;
    logger.error({ err: error, request_id: requestId, route }, 'request failed after its answer');
  };

  const exchangeFacts: ExchangeFacts = {
    readAddress,
    timer,
    answerTimeoutMs,
    answerExpired: (exchange) => void refuse(exchange, new Error(`No answer within ${answerTimeoutMs} ms`)),
  };

  const answer = async (
    exchange: Exchange,
    request: IncomingMessage,
    found: FoundPath | null,
    failure: unknown,
  ): Promise<void> => {
    const { deadline, response } = exchange;
    try {
      if (failure !== undefined)
        throw failure instanceof Error ? failure : new Error('Not an error', { cause: failure });
      if (!namesHost(request)) throw new PorticoError('malformed_request');
      if (!found) throw new PorticoError('not_found');
      const route = routeFor(found.methods, request.method ?? '', exchange);
      const answered = await answerRoute(pipeline, route, exchange, found.params);
      if (deadline.settle()) await send(exchange, answered, route.status, isDraining());
    } catch (error) {
      if (!deadline.settle()) recordLate(exchange, error);
      else if (error instanceof ClientGone) response.destroy();
      else if (response.headersSent) {
        // Half of the answer is sent: only a broken connection tells the client that the rest is missing.
        logger.error({ err: error, request_id: exchange.requestId, route: exchange.route }, 'answer cut off');
        response.destroy();
      } else await refuse(exchange, error);
    }
  };

  return (request, response, found, failure) => {
    const exchange = beginExchange(request, response, exchangeFacts);
    response.on('close', () => close(exchange, logger, metrics));
    if (!tracing) return answer(exchange, request, found, failure);
    exchange.span = beginSpan(tracing, request);
    return exchange.span.run(() => answer(exchange, request, found, failure));
  };
};

const beginSpan = (tracing: Pick<Tracing, 'beginRequest'>, { method = '', httpVersion, headers }: IncomingMessage) =>
  tracing.beginRequest({ method, httpVersion, headers });

/** Whoever only reads and leaves before the answer wants nothing done any more, and frees its place in a queue. */
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
  const { method: given = '' } = request;
  const method = knownMethods.has(given) ? given : 'other';
  metrics.requestAnswered(method, route, status, ms / 1_000);
  const isWhole = response.writableFinished;
  // Undefined members are left out of the line.
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

/** Throws `method_not_allowed` for a method that the path does not have. */
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

const refusalAnswer = (refusal: PorticoError, challenge: string): Answer => {
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
