import type { CollectionId } from '../ids.ts';
import type { Instant } from '../instant.ts';

export type LifecycleState = 'active' | 'deprecated' | 'retired';

export const lifecycleStates = ['active', 'deprecated', 'retired'] as const satisfies readonly LifecycleState[];

/** Whether and how long an API is meant to be used (extensions, section 8). */
export interface Lifecycle {
  readonly state: LifecycleState;
  /** When the API was or will be deprecated (RFC 9745); null only if it is active. */
  readonly since: Instant | null;
  /** When the API is expected to stop working (RFC 8594); null if that is not known. */
  readonly sunset: Instant | null;
  /** The collection that replaces this one; null if none does, or if it was removed. */
  readonly successor: CollectionId | null;
  /** A note for callers in plain text; null if there is none. */
  readonly text: string | null;
}

/** The parts that are set with a state. */
export type LifecycleDetails = Omit<Lifecycle, 'state'>;

/** A change to a state; absent parts keep their value, and null removes one. `since` is now by default. */
export interface LifecycleEdit {
  readonly state: LifecycleState;
  readonly since?: Instant | undefined;
  readonly sunset?: Instant | null | undefined;
  readonly successor?: CollectionId | null | undefined;
  readonly text?: string | null | undefined;
}

/** The maximum length of the text, in characters (Unicode code points), after trimming. */
export const lifecycleTextMax = 1_000;

export const activeLifecycle: Lifecycle = { state: 'active', since: null, sunset: null, successor: null, text: null };

export const isSameLifecycle = (one: Lifecycle, other: Lifecycle): boolean =>
  one.state === other.state &&
  one.since === other.since &&
  one.sunset === other.sunset &&
  one.successor === other.successor &&
  one.text === other.text;
