import type { Reply } from '../reply.ts';
import type { CallerName } from './callers.ts';
import type { Refusal } from './refusals.ts';
import type { Shape } from './shapes.ts';
import type { Person, World } from './world.ts';

/** What a request is about. */
export interface Aim {
  /** By `{name}` in the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** With the question mark. */
  readonly query?: string;
  readonly json?: unknown;
}

/** What the specification says of one endpoint, besides what stands in the row of its route. */
export interface Endpoint {
  /** Of a success; only where the response schema of the route has optional fields, or there is none. */
  readonly answer?: Shape;
  /** A valid request about standing objects: sent if it is refused, or if it changes none of them. */
  readonly aim: (world: World) => Aim;
  /** A valid request about a new object, if success changes the object. */
  readonly freshAim?: (world: World) => Promise<Aim>;
  /** Whether a success changes its caller. */
  readonly changesCaller?: boolean;
  /** Refusals that do not follow from the route's `auth`. */
  readonly except?: Readonly<Partial<Record<CallerName, Refusal>>>;
  /** The field of a list's entries that names a collection: the list has exactly those that the caller may see. */
  readonly visible?: string;
  /** Asserts what else holds for a success. */
  readonly holds?: (reply: Reply, caller: Person, world: World) => void;
  /** Bodies of the right media type that are refused; absent if the endpoint takes no body. */
  readonly badBodies?: readonly unknown[];
  readonly badQueries?: readonly string[];
  /** Fields whose values depend on the composition or the time. */
  readonly volatile?: readonly string[];
  /** Whether the whole answer depends on the composition. */
  readonly ofComposition?: boolean;
}

/** By method and path, as the specification writes them. */
export type Endpoints = Readonly<Record<string, Endpoint>>;
