import { type ErrorCode, PorticoError } from '../errors.ts';
import type { Instant } from '../instant.ts';
import type { Profile } from './profile.ts';

type Standing = 'active' | 'suspended';
export type SuspensionEvent = 'suspend' | 'resume';

/** Whether a profile is let in, whatever its registration status; and where each event leads. */
const machine = {
  active: { suspend: 'suspended' },
  suspended: { resume: 'active' },
} as const satisfies Record<Standing, Partial<Record<SuspensionEvent, Standing>>>;

const refusals = {
  active: 'not_suspended',
  suspended: 'already_suspended',
} as const satisfies Record<Standing, ErrorCode>;

export const isSuspended = ({ suspendedAt }: Pick<Profile, 'suspendedAt'>): boolean => suspendedAt !== null;

/** Returns since when the profile is suspended after the event, or null; throws the refusal of a standing without it. */
export const nextSuspension = (profile: Pick<Profile, 'suspendedAt'>, event: SuspensionEvent, now: Instant) => {
  const standing: Standing = isSuspended(profile) ? 'suspended' : 'active';
  const transitions: { readonly [Allowed in SuspensionEvent]?: Standing } = machine[standing];
  const next = transitions[event];
  if (!next) throw new PorticoError(refusals[standing]);
  return next === 'suspended' ? now : null;
};
