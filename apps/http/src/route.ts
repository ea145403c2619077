import type { IncomingMessage } from 'node:http';
import type { LocalSignIn } from '@portico/composition';
import type {
  Principal,
  AdminAuthority,
  Deadline,
  ErrorCode,
  ExtraVersion,
  IdentityClaims,
  PersonAuthority,
  ReadDocument,
  RequiredAuth,
  Scope,
  Sender,
  TargetDetail,
  TargetDetails,
  UseCases,
} from '@portico/domain';
import type { SignInWay } from '@portico/composition';
import type { z } from 'zod';
import type { RouteResponse } from './responses/route-response.ts';
import type { BodyCache } from './responses/tagged-response.ts';
import type { ConsoleFiles } from './console/console-files.ts';

/**
 * The callers that may use a route. `free`: callers are neither identified nor counted; `open`: callers are counted by
 * address; the domain defines the other values.
 */
export type RouteAuth = 'free' | 'open' | RequiredAuth;

interface Identified<Detail extends TargetDetail> {
  readonly principal: Principal<TargetDetails[Detail]>;
}

/** The caller's data for a handler. If no service account is allowed to call, the admin is a person. */
export type CallerContext<
  Auth extends RouteAuth,
  Detail extends TargetDetail = 'head',
  RequiredScope extends Scope | null = Scope | null,
> = Auth extends 'free'
  ? null
  : Auth extends 'open'
    ? { readonly identity: IdentityClaims | null; readonly deadline: Deadline }
    : Auth extends 'admin'
      ? Identified<Detail> & { readonly authority: RequiredScope extends null ? PersonAuthority : AdminAuthority }
      : Identified<Detail>;

/**
 * The scope that a service account needs; null if no service account is allowed to call. Only a route that does not
 * identify its caller omits it.
 */
type ScopeRequirement<Auth extends RouteAuth, RequiredScope extends Scope | null> = Auth extends 'free' | 'open'
  ? { readonly scope?: never }
  : { readonly scope: RequiredScope };

/** A part of a request that needs an additional scope: a member of the body, or a word in a list in the query. */
export type ScopedPart =
  | { readonly member: string; readonly scope: Scope }
  | { readonly parameter: string; readonly word: string; readonly scope: Scope };

/** Returns the name of the part in the documentation. */
export const nameOfPart = (part: ScopedPart): string =>
  'member' in part ? part.member : `${part.parameter}=${part.word}`;

/** The member of a body that contains an OpenAPI document. */
export const documentMember = 'openapi_spec';

/**
 * The kind of body that a route accepts: none, a JSON object, a JSON object whose `documentMember` is parsed in a
 * worker thread, or a form.
 */
export type BodyKind = 'none' | 'json' | 'document' | 'form';

export type BodyOf<Kind extends BodyKind, Schema extends z.ZodType> = Kind extends 'none'
  ? null
  : Kind extends 'json'
    ? { readonly fields: z.output<Schema>; readonly readMemberText: (name: string) => string | null }
    : Kind extends 'form'
      ? URLSearchParams
      : { readonly fields: z.output<Schema>; readonly document: ReadDocument | null };

export interface Context<
  Auth extends RouteAuth,
  Query,
  Body,
  Detail extends TargetDetail = 'head',
  RequiredScope extends Scope | null = Scope | null,
> {
  readonly useCases: UseCases;
  readonly service: ServiceInfo;
  readonly bodies: BodyCache;
  readonly caller: CallerContext<Auth, Detail, RequiredScope>;
  /** The path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly request: IncomingMessage;
  readonly sender: Sender;
}

/** The data of the routes about the service itself. */
export interface ServiceInfo {
  readonly name: string;
  readonly version: string;
  readonly isDraining: () => boolean;
  /** Whether this process runs jobs; null if that is not known. */
  readonly runsJobs: boolean | null;
  readonly readMetrics: () => Promise<string>;
  /** Returns the OpenAPI document, as JSON text. */
  readonly getOpenApiDocument: () => string;
  readonly localIssuer: LocalIssuerDocuments | null;
  /** The browser sign-in with the local issuer; null if browsers cannot sign in with it. */
  readonly localSignIn: LocalSignIn | null;
  /** Returns the base URL that this caller used to reach the service, without a trailing slash. */
  readonly readBaseUrl: (request: IncomingMessage) => string;
  /** Returns the URL of the console for this caller. */
  readonly readConsoleUrl: (request: IncomingMessage) => string;
  /** Null if no access tokens are accepted. */
  readonly protectedResource: ProtectedResource | null;
  /** The ways to sign in to the console; the first is the default. */
  readonly signInWays: readonly SignInWay[];
  /** Returns the known origins of other services that the console connects to for signing in. */
  readonly listSignInOrigins: () => readonly string[];
  /** The built console. */
  readonly consoleFiles: ConsoleFiles;
}

/** The documents that a local issuer publishes for the verification of its tokens. */
export interface LocalIssuerDocuments {
  getKeySet(): object;
  createDiscoveryDocument(baseUrl: string): object;
}

/** The metadata that shows clients where to get an access token (RFC 9728). */
export interface ProtectedResource {
  /** The `WWW-Authenticate` header of a 401 from a route that accepts access tokens. */
  readonly challenge: string;
  readonly metadata: {
    readonly resource: string;
    readonly resource_name: string;
    readonly authorization_servers: string[];
    readonly scopes_supported: string[];
    readonly bearer_methods_supported: 'header'[];
  };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface ParameterMetadata {
  readonly description: string;
  /** The JSON Schema of the parameter. A value that does not match it results in a 404. */
  readonly schema: {
    readonly type: 'string' | 'integer';
    readonly format?: 'uuid';
    readonly pattern?: string;
    readonly minimum?: number;
    readonly maximum?: number;
  };
  readonly example: string | number;
}

interface RouteMetadata {
  readonly method: Method;
  /** The path template, with `:name` for each parameter. */
  readonly path: string;
  /** The unique `operationId` in the OpenAPI document. */
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: Readonly<Record<string, ParameterMetadata>>;
  /**
   * The identifiers in the response, by their parameter names in other operations, each as a runtime expression such as
   * `$response.body#/id`. A list supplies its first entry's identifiers.
   */
  readonly linkParameters?: Readonly<Record<string, string>>;
  /** The part of the collection `collection_id` that is read together with the caller; none by default. */
  readonly targetDetail?: TargetDetail;
  /** Whether access tokens are accepted in addition to identity tokens; a 401 then says where to get one. */
  readonly acceptsAccessTokens?: boolean;
  /** The maximum size of the body in bytes, if that is more than `BODY_LIMIT`. */
  readonly bodyBytesMax?: number;
  /** The parts of a request for which a service account needs additional scopes. */
  readonly scopedParts?: readonly ScopedPart[];
  /** The error for a valid token without a profile, instead of a 401. */
  readonly unregisteredError?: 'user_not_found';
  readonly status: number;
  /** The media type of the response if it is not JSON. */
  readonly mediaType?: 'application/x-ndjson' | 'application/yaml' | 'application/atom+xml' | 'text/plain';
  /** An alternative media type of the response, for callers that prefer it in `Accept`. */
  readonly alternativeMediaType?: 'text/csv';
  /** Whether the response may be a 304. */
  readonly isConditional?: boolean;
  /**
   * Whether `If-Match` is supported: if it does not match the current state, the response is a 412 and nothing is
   * changed.
   */
  readonly supportsIfMatch?: boolean;
  /** Whether browsers may call the route only from pages of this service. */
  readonly requiresSameOrigin?: boolean;
  /** The errors in addition to those that follow from `auth`, `query` and `body`. */
  readonly errors?: readonly ErrorCode[];
  /** Other statuses with the same response schema, such as the 503 of a health check. */
  readonly alternativeStatuses?: Readonly<Record<number, string>>;
  /** Whether machines poll the route every few seconds: a 200 is then logged at `debug`. */
  readonly isProbe?: boolean;
  /** Whether any `Host` is accepted, as for the health checks of proxies, which rarely send a name of the service. */
  readonly acceptsAnyHost?: boolean;
  /** Whether the route is omitted from the OpenAPI document. */
  readonly isHidden?: boolean;
  /** Whether the route exists only if the service is its own identity provider. */
  readonly requiresLocalIssuer?: boolean;
  /** Whether the route exists only if access tokens are accepted. */
  readonly requiresAccessTokens?: boolean;
}

/** The groups of operations in the OpenAPI document. */
export type Tag =
  | 'Profiles'
  | 'Service accounts'
  | 'Collections'
  | 'Operations'
  | 'Access'
  | 'Groups'
  | 'Audit'
  | 'Rate limits'
  | 'Search'
  | 'Usage'
  | 'Jobs'
  | 'Webhooks'
  | 'Service';

/** A row of the route table, as used by the pipeline and the OpenAPI document. */
export interface Route extends RouteRow {
  readonly tag: Tag;
  /** Whether an unknown query parameter results in a 400; otherwise it is ignored. */
  readonly rejectsUnknownParameters: boolean;
}

export interface RouteRow extends RouteMetadata {
  readonly auth: RouteAuth;
  readonly scope: Scope | null;
  readonly query: z.ZodObject | null;
  readonly body: RouteBody | null;
  /** Null if the response has no schema. */
  readonly response: z.ZodType | null;
  readonly handler: (context: Context<RouteAuth, unknown, unknown>) => RouteResponse | Promise<RouteResponse>;
}

/**
 * The types of a request and its response. This type has no values at runtime. `METHOD path` identifies the row. Query
 * parameters are strings, or values that convert to strings.
 */
export interface Call<Name extends string, RequiredScope, Parameter extends PropertyKey, Body, Response> {
  readonly name: Name;
  readonly scope: RequiredScope;
  readonly parameter: Parameter;
  readonly body: Body;
  readonly response: Response;
}

/** A row that keeps its types, so that `calls.ts` can export them for programs that call the service. */
export interface TypedRow<Types> extends RouteRow {
  readonly '~call'?: Types;
}

/**
 * The body of a route. A form has no schema: the endpoints that accept one report errors as their own standard
 * requires.
 */
export type RouteBody = DescribedBody | { readonly kind: 'form' };

export interface DescribedBody {
  readonly kind: 'json' | 'document';
  /** The versions of documents that are accepted besides OpenAPI 3.0 and 3.1. */
  readonly extraVersions: readonly ExtraVersion[];
  readonly schema: z.ZodType;
  readonly fields: z.ZodType;
}

interface RouteDefinition<
  Auth extends RouteAuth,
  Query extends z.ZodObject,
  Kind extends BodyKind,
  Body extends z.ZodType,
  Response extends z.ZodType,
  Detail extends TargetDetail,
  RequiredScope extends Scope | null,
  Verb extends Method,
  Path extends string,
  FullBody extends z.ZodType,
> extends RouteMetadata {
  readonly method: Verb;
  readonly path: Path;
  readonly auth: Auth;
  readonly scope?: RequiredScope;
  readonly targetDetail?: Detail;
  readonly query?: Query;
  readonly bodyKind?: Kind;
  readonly extraVersions?: readonly ExtraVersion[];
  /** The part of the body that is validated here. */
  readonly body?: Body;
  /** The schema of the whole body, if the body has more members than that part. */
  readonly bodySchema?: FullBody;
  readonly response: Response | null;
  readonly handler: (
    context: Context<Auth, z.output<Query>, BodyOf<Kind, Body>, Detail, RequiredScope>,
  ) => RouteResponse<z.input<Response>> | Promise<RouteResponse<z.input<Response>>>;
}

/**
 * Defines a row. The compiler checks that the handler uses only the declared inputs and returns the declared response.
 */
export const defineRoute = <
  Auth extends RouteAuth,
  Response extends z.ZodType,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Kind extends BodyKind = 'none',
  Body extends z.ZodType = z.ZodNever,
  Detail extends TargetDetail = 'head',
  const RequiredScope extends Scope | null = null,
  const Verb extends Method = Method,
  const Path extends string = string,
  FullBody extends z.ZodType = Body,
>(
  definition: RouteDefinition<Auth, Query, Kind, Body, Response, Detail, RequiredScope, Verb, Path, FullBody> &
    ScopeRequirement<Auth, RequiredScope>,
): TypedRow<Call<`${Verb} ${Path}`, RequiredScope, keyof z.input<Query>, z.input<FullBody>, z.output<Response>>> => {
  const {
    scope,
    query,
    bodyKind,
    extraVersions = [],
    body,
    bodySchema,
    handler,
    ...metadata
  }: RouteDefinition<Auth, Query, Kind, Body, Response, Detail, RequiredScope, Verb, Path, FullBody> = definition;
  return {
    ...metadata,
    scope: scope ?? null,
    query: query ?? null,
    body:
      bodyKind === 'form'
        ? { kind: bodyKind }
        : body && (bodyKind === 'json' || bodyKind === 'document')
          ? { kind: bodyKind, extraVersions, schema: bodySchema ?? body, fields: body }
          : null,
    // Safe: the pipeline builds each context from the same row.
    handler: handler as unknown as Route['handler'],
  };
};
