import type { IncomingMessage } from 'node:http';
import type {
  Principal,
  AdminAuthority,
  Deadline,
  ErrorCode,
  IdentityClaims,
  ReadDocument,
  RequiredAuth,
  TargetPart,
  TargetParts,
  UseCases,
} from '@portico/domain';
import type { z } from 'zod';
import type { Answer } from './answers/answer.ts';
import type { BodyCache } from './answers/body-cache.ts';

/** Who may call: besides those whom the domain admits, `free` is neither identified nor counted, `open` is counted by address. */
export type RouteAuth = 'free' | 'open' | RequiredAuth;

interface Identified<Part extends TargetPart> {
  readonly principal: Principal<TargetParts[Part]>;
}

/** What a handler knows of its caller. */
export type CallerFacts<Auth extends RouteAuth, Part extends TargetPart = 'head'> = Auth extends 'free'
  ? null
  : Auth extends 'open'
    ? { readonly identity: IdentityClaims | null; readonly deadline: Deadline }
    : Auth extends 'admin'
      ? Identified<Part> & { readonly authority: AdminAuthority }
      : Identified<Part>;

/** The member of a body that holds an OpenAPI document. */
export const documentMember = 'openapi_spec';

/** The body that a route takes: none, a JSON object, or one whose `documentMember` a worker thread reads. */
export type BodyKind = 'none' | 'json' | 'document';

export type BodyOf<Kind extends BodyKind, Schema extends z.ZodType> = Kind extends 'none'
  ? null
  : Kind extends 'json'
    ? { readonly fields: z.output<Schema>; readonly memberText: (name: string) => string | null }
    : { readonly fields: z.output<Schema>; readonly document: ReadDocument | null };

export interface Context<Auth extends RouteAuth, Query, Body, Part extends TargetPart = 'head'> {
  readonly useCases: UseCases;
  readonly service: ServiceFacts;
  readonly bodies: BodyCache;
  readonly caller: CallerFacts<Auth, Part>;
  /** The named parts of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly request: IncomingMessage;
}

/** What the routes about the service itself say. */
export interface ServiceFacts {
  readonly name: string;
  readonly isDraining: () => boolean;
  readonly metrics: () => Promise<string>;
  /** The OpenAPI document, as JSON text. */
  readonly openApi: () => string;
  readonly localIssuer: LocalIssuerDocuments | null;
}

/** What a local issuer shows to those who verify its tokens. */
export interface LocalIssuerDocuments {
  jwks(): object;
  discovery(baseUrl: string): object;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface ParameterFacts {
  readonly description: string;
  /** In JSON Schema. What is not of it names nothing, and is a 404. */
  readonly schema: {
    readonly type: 'string' | 'integer';
    readonly format?: 'uuid';
    readonly pattern?: string;
    readonly minimum?: number;
    readonly maximum?: number;
  };
  readonly example: string | number;
}

interface RouteFacts {
  readonly method: Method;
  /** With `:name` for each part that varies. */
  readonly path: string;
  /** Names the operation in the OpenAPI document; unique. */
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: Readonly<Record<string, ParameterFacts>>;
  /**
   * By their names in the paths of other operations, the identifiers that the answer holds, each as a runtime expression such as
   * `$response.body#/id`. Of a list they are those of its first entry.
   */
  readonly supplies?: Readonly<Record<string, string>>;
  /** How much of the collection that `collection_id` in the path names is read together with the caller; none by default. */
  readonly reads?: TargetPart;
  /** What a valid token without a profile is answered with, in place of 401. */
  readonly unregistered?: 'user_not_found';
  readonly status: number;
  /** What the answer holds that is no JSON. */
  readonly media?: 'application/x-ndjson' | 'text/plain';
  /** Whether it can be answered by 304. */
  readonly conditional?: boolean;
  /** Refusals beyond those that follow from who may call and what is sent. */
  readonly errors?: readonly ErrorCode[];
  /** Statuses with an answer of the success's shape, such as 503 of a health check. */
  readonly alternatives?: Readonly<Record<number, string>>;
  /** Whether machines ask it every few seconds: an answer 200 is then logged at `debug` alone. */
  readonly probe?: boolean;
  /** Left out of the OpenAPI document. */
  readonly hidden?: boolean;
  /** Whether it is there only while the service is its own identity provider. */
  readonly ofLocalIssuer?: boolean;
}

/** What the operations of the OpenAPI document are grouped by. */
export type Tag = 'Profiles' | 'Collections' | 'Access' | 'Audit' | 'Rate limits' | 'Search' | 'Service';

/** A row of the route table, as the pipeline and the OpenAPI document see it. */
export interface Route extends RouteRow {
  readonly tag: Tag;
}

export interface RouteRow extends RouteFacts {
  readonly auth: RouteAuth;
  readonly query: z.ZodObject | null;
  readonly body: { readonly kind: 'json' | 'document'; readonly schema: z.ZodType; readonly fields: z.ZodType } | null;
  /** Null where the answer is no JSON. */
  readonly response: z.ZodType | null;
  readonly handler: (context: Context<RouteAuth, unknown, unknown>) => Answer | Promise<Answer>;
}

interface RouteDefinition<
  Auth extends RouteAuth,
  Query extends z.ZodObject,
  Kind extends BodyKind,
  Body extends z.ZodType,
  Response extends z.ZodType,
  Part extends TargetPart,
> extends RouteFacts {
  readonly auth: Auth;
  readonly reads?: Part;
  readonly query?: Query;
  readonly bodyKind?: Kind;
  /** What of the body is validated here. */
  readonly body?: Body;
  /** What the whole body looks like, where that is more. */
  readonly bodySchema?: z.ZodType;
  readonly response: Response | null;
  readonly handler: (
    context: Context<Auth, z.output<Query>, BodyOf<Kind, Body>, Part>,
  ) => Answer<z.input<Response>> | Promise<Answer<z.input<Response>>>;
}

/**
 * Writes a row. The compiler checks that its handler asks only for what the row declares and returns what it declares;
 * the table forgets these types.
 */
export const defineRoute = <
  Auth extends RouteAuth,
  Response extends z.ZodType,
  Query extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Kind extends BodyKind = 'none',
  Body extends z.ZodType = z.ZodNever,
  Part extends TargetPart = 'head',
>({
  query,
  bodyKind,
  body,
  bodySchema,
  handler,
  ...facts
}: RouteDefinition<Auth, Query, Kind, Body, Response, Part>): RouteRow => ({
  ...facts,
  query: query ?? null,
  body:
    body && (bodyKind === 'json' || bodyKind === 'document')
      ? { kind: bodyKind, schema: bodySchema ?? body, fields: body }
      : null,
  // The pipeline makes each context by the very row that the handler stands in.
  handler: handler as unknown as Route['handler'],
});
