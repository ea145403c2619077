import type { Reply } from '../reply.ts';
import type { CallerName } from './callers.ts';
import type { Refusal } from './refusals.ts';
import type { Shape } from './shapes.ts';
import type { Person, World } from './world.ts';

/** Who may call, as the specification says it (specification, sections 1 and 2). */
export type Auth = 'free' | 'open' | 'token' | 'token or key' | 'admin';

/** What a request is about. */
export interface Aim {
  /** For each `{name}` of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** From the question mark on. */
  readonly query?: string;
  readonly json?: unknown;
}

/** What the specification says of one endpoint. */
export interface Endpoint {
  readonly auth: Auth;
  /** Of a success. */
  readonly status: number;
  readonly answer: Shape;
  /** A valid request about what stands: it is sent where it is refused, or where it changes nothing that stands. */
  readonly aim: (world: World) => Aim;
  /** A valid request about something made for it, where a success changes what it is about. */
  readonly freshAim?: (world: World) => Promise<Aim>;
  /** Whether a success changes its caller. */
  readonly changesCaller?: boolean;
  /** Refusals that do not follow from who may call. */
  readonly except?: Readonly<Partial<Record<CallerName, Refusal>>>;
  /** The field of a list's entries that names a collection: then it holds those that the caller may see, and no other. */
  readonly visible?: string;
  /** What else is true of a success. */
  readonly holds?: (reply: Reply, caller: Person, world: World) => void;
  /** Bodies of the right media type that are refused; its absence says that no body is taken. */
  readonly badBodies?: readonly unknown[];
  readonly badQueries?: readonly string[];
  /** Fields whose values depend on the composition or on the moment. */
  readonly volatile?: readonly string[];
  /** Whether all of the answer does. */
  readonly ofComposition?: boolean;
  /** Whether it is there only while the service is its own identity provider. */
  readonly ofIssuer?: boolean;
}

/** By method and path, as the specification writes them. */
export type Endpoints = Readonly<Record<string, Endpoint>>;
