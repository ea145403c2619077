import { activeLifecycle, type Lifecycle, type LifecycleEdit, type LifecycleState } from '../collections/lifecycle.ts';
import { PorticoError } from '../errors.ts';
import type { CollectionId } from '../ids.ts';
import type { Instant } from '../instant.ts';

export type LifecycleEvent = 'activate' | 'deprecate' | 'retire';

/** The states of a collection and their transitions. Each state but the first can be set again, with other details. */
const machine = {
  active: { activate: 'active', deprecate: 'deprecated' },
  deprecated: { activate: 'active', deprecate: 'deprecated', retire: 'retired' },
  retired: { activate: 'active', deprecate: 'deprecated', retire: 'retired' },
} as const satisfies Record<LifecycleState, Partial<Record<LifecycleEvent, LifecycleState>>>;

/** The event that leads to each state. */
const events = { active: 'activate', deprecated: 'deprecate', retired: 'retire' } as const satisfies Record<
  LifecycleState,
  LifecycleEvent
>;

/**
 * Returns the lifecycle after the edit. Throws `not_deprecated` if the API would be retired without having been
 * deprecated, and `invalid_body` if the sunset is before the deprecation, or the API is its own successor.
 */
export const applyLifecycleEdit = (
  { id, lifecycle: current }: { readonly id: CollectionId; readonly lifecycle: Lifecycle },
  edit: LifecycleEdit,
  now: Instant,
): Lifecycle => {
  const transitions: { readonly [Allowed in LifecycleEvent]?: LifecycleState } = machine[current.state];
  const state = transitions[events[edit.state]];
  if (!state) throw new PorticoError('not_deprecated', { reason: 'deprecate it first, so that its callers can leave' });
  if (state === 'active') return activeLifecycle;
  const { since = current.since ?? now, sunset = current.sunset } = edit;
  const { successor = current.successor, text = current.text } = edit;
  if (sunset !== null && sunset < since)
    throw new PorticoError('invalid_body', { reason: 'sunset must not be before since' });
  if (successor === id) throw new PorticoError('invalid_body', { reason: 'successor must be another collection' });
  return { state, since, sunset, successor, text };
};

/** Throws `collection_retired`, with the next step for a caller, if the API is retired. */
export const rejectRetired = ({ lifecycle: { state, successor } }: { readonly lifecycle: Lifecycle }): void => {
  if (state !== 'retired') return;
  const advice = successor === null ? 'ask an administrator which API to use instead' : `use ${successor} instead`;
  throw new PorticoError('collection_retired', { reason: advice });
};
