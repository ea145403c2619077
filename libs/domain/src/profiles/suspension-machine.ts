import { type ErrorCode, PorticoError } from '../errors.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from './profile.ts';

type SuspensionState = 'active' | 'suspended';
export type SuspensionEvent = 'suspend' | 'resume';

/** Whether a profile can authenticate, regardless of its registration status; and the transitions. */
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
 * Returns since when the profile is suspended after the event, or null; throws the error of a state that does not allow
 * the event.
 */
export const nextSuspension = (profile: Pick<Profile, 'suspendedAt'>, event: SuspensionEvent, now: Instant) => {
  const state: SuspensionState = isSuspended(profile) ? 'suspended' : 'active';
  const transitions: { readonly [Allowed in SuspensionEvent]?: SuspensionState } = machine[state];
  const next = transitions[event];
  if (!next) throw new PorticoError(errorCodes[state]);
  return next === 'suspended' ? now : null;
};
