import { type ErrorCode, PorticoError } from '../errors.ts';
import type { RegistrationStatus } from './profile.ts';

/**
 * `promote` makes the profile an admin and approves it; a rejected profile cannot be promoted. `reopen` reverts a
 * rejection: the registration is pending again.
 */
export type RegistrationEvent = 'approve' | 'reject' | 'promote' | 'reopen';

/** The states of a profile and their transitions (specification, "States and transitions"). */
const machine = {
  pending: { approve: 'approved', reject: 'rejected', promote: 'approved' },
  approved: { promote: 'approved' },
  rejected: { reopen: 'pending' },
} as const satisfies Record<RegistrationStatus, Partial<Record<RegistrationEvent, RegistrationStatus>>>;

const errorCodes = {
  pending: 'not_rejected',
  approved: 'already_approved',
  rejected: 'already_rejected',
} as const satisfies Record<RegistrationStatus, ErrorCode>;

/** The status after an event, from any status that allows the event. */
type StatusAfter<Event extends RegistrationEvent> = {
  [Status in RegistrationStatus]: (typeof machine)[Status] extends Readonly<Record<Event, infer Next>> ? Next : never;
}[RegistrationStatus];

/** Returns the status after the event; throws the current status's error if the status does not allow the event. */
export const getNextStatus = <Event extends RegistrationEvent>(
  status: RegistrationStatus,
  event: Event,
): StatusAfter<Event> => {
  const transitions: { readonly [Allowed in RegistrationEvent]?: RegistrationStatus } = machine[status];
  const next = transitions[event];
  if (!next) throw new PorticoError(errorCodes[status]);
  return next as StatusAfter<Event>;
};
