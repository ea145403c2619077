import { PorticoError } from '../errors.ts';
import type { Instant } from '../instant.ts';
import type { AccessRequest, RequestStatus } from './access-request.ts';

/** `grant`: the access was granted without a decision about the request. */
export type RequestEvent = 'approve' | 'deny' | 'withdraw' | 'grant';

/** The states of a request and their transitions: the first decision is final. */
const machine = {
  pending: { approve: 'approved', deny: 'denied', withdraw: 'withdrawn', grant: 'granted' },
  approved: {},
  denied: {},
  withdrawn: {},
  granted: {},
} as const satisfies Record<RequestStatus, Partial<Record<RequestEvent, RequestStatus>>>;

/** Returns the request after the event; throws `request_decided`, which names the status, if it is not pending. */
export const applyRequestEvent = <Request extends AccessRequest>(
  request: Request,
  event: RequestEvent,
  now: Instant,
  answer: string | null = null,
): Request => {
  const transitions: { readonly [Allowed in RequestEvent]?: RequestStatus } = machine[request.status];
  const status = transitions[event];
  if (!status) throw new PorticoError('request_decided', { reason: request.status });
  return { ...request, status, decidedAt: now, answer };
};
