import { type ErrorCode, PorticoError } from '../errors.ts';
import type { RegistrationStatus } from './profile.ts';

/** `promote`: the profile becomes an admin, and by that approved; a rejected one cannot. */
export type RegistrationEvent = 'approve' | 'reject' | 'promote';

/** The states of a profile, and what each event makes of them (specification, "States and transitions"). */
const machine = {
  pending: { approve: 'approved', reject: 'rejected', promote: 'approved' },
  approved: { promote: 'approved' },
  rejected: {},
} as const satisfies Record<RegistrationStatus, Partial<Record<RegistrationEvent, RegistrationStatus>>>;

const refusals = {
  pending: 'not_approved',
  approved: 'already_approved',
  rejected: 'already_rejected',
} as const satisfies Record<RegistrationStatus, ErrorCode>;

/** The status after the event; throws the refusal of a status that does not know it. */
export const nextStatus = (status: RegistrationStatus, event: RegistrationEvent): RegistrationStatus => {
  const transitions: Partial<Record<RegistrationEvent, RegistrationStatus>> = machine[status];
  const next = transitions[event];
  if (!next) throw new PorticoError(refusals[status]);
  return next;
};
