import type { Reply } from '../reply.ts';
import type { CallerName } from './callers.ts';
import type { ExpectedError } from './errors.ts';
import type { Shape } from './shapes.ts';
import type { Person, World } from './world.ts';

/** The target of a request: its path parameters, query and body. */
export interface Target {
  /** The path parameters, by their `{name}` in the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** The query, including the question mark. */
  readonly query?: string;
  readonly json?: unknown;
}

/** The specification of one endpoint, without the properties that its route declares. */
export interface Endpoint {
  /**
   * The shape of a successful response; specified only if the route's response schema has optional fields or is
   * missing.
   */
  readonly response?: Shape;
  /**
   * Returns the target of a valid request for shared objects; used if the request is rejected or changes none of these
   * objects.
   */
  readonly target: (world: World) => Target;
  /** Returns the target of a valid request for a new object; needed if a successful request changes the object. */
  readonly freshTarget?: (world: World) => Promise<Target>;
  /** Whether a successful request changes its caller. */
  readonly changesCaller?: boolean;
  /** Errors that differ from those of the route's `auth`. */
  readonly specialErrors?: Readonly<Partial<Record<CallerName, ExpectedError>>>;
  /** The error for the owners of the granted collection, if the endpoint is for owners and its target is another one. */
  readonly ownerError?: ExpectedError;
  /**
   * The field of the list entries that contains a collection id: the list has exactly the collections visible to the
   * caller.
   */
  readonly collectionField?: string;
  /** Makes further assertions about a successful response. */
  readonly verify?: (reply: Reply, caller: Person, world: World) => void;
  /** Rejected bodies of the right media type; absent if the endpoint does not accept a body. */
  readonly badBodies?: readonly unknown[];
  readonly badQueries?: readonly string[];
  /** Fields whose values depend on the composition or the time. */
  readonly volatileFields?: readonly string[];
  /** Whether the whole response depends on the composition. */
  readonly dependsOnComposition?: boolean;
}

/** The endpoints by method and path, in the notation of the specification. */
export type Endpoints = Readonly<Record<string, Endpoint>>;
