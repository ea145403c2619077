import { type ErrorCode, PorticoError } from '../errors.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from './profile.ts';

type SuspensionState = 'active' | 'suspended';
export type SuspensionEvent = 'suspend' | 'resume';

/**
 * The states that determine whether a profile can authenticate, regardless of its registration status, and their
 * transitions.
 */
const machine = {
  active: { suspend: 'suspended' },
  suspended: { resume: 'active' },
} as const satisfies Record<SuspensionState, Partial<Record<SuspensionEvent, SuspensionState>>>;

const errorCodes = {
  active: 'not_suspended',
  suspended: 'already_suspended',
} as const satisfies Record<SuspensionState, ErrorCode>;

export const isSuspended = ({ suspendedAt }: Pick<Profile, 'suspendedAt'>): boolean => suspendedAt !== null;

/**
 * Returns the profile's `suspendedAt` after the event, which may be null; throws the current state's error if the state
 * does not allow the event.
 */
export const getNextSuspension = (profile: Pick<Profile, 'suspendedAt'>, event: SuspensionEvent, now: Instant) => {
  const state: SuspensionState = isSuspended(profile) ? 'suspended' : 'active';
  const transitions: { readonly [Allowed in SuspensionEvent]?: SuspensionState } = machine[state];
  const next = transitions[event];
  if (!next) throw new PorticoError(errorCodes[state]);
  return next === 'suspended' ? now : null;
};
