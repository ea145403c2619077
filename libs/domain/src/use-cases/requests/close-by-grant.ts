import type { Instant } from '../../instant.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import { applyRequestEvent } from '../../requests/request-machine.ts';
import { createDecisionMailJobs } from '../mails/mail-jobs.ts';

/**
 * Returns additional writes for a change that grants access while requests for that access are pending: closes the
 * requests, and notifies the requesters.
 */
export const closeByGrant = (
  ports: Pick<Ports, 'clock' | 'random' | 'mailer'>,
  requests: readonly AccessRequest[],
  now: Instant,
): { readonly requests: readonly AccessRequest[]; readonly jobs: readonly NewJob[] } => {
  // A change may grant the same access in several ways.
  const uniqueRequests = [...new Map(requests.map((request) => [request.id, request])).values()];
  return {
    requests: uniqueRequests.map((request) => applyRequestEvent(request, 'grant', now)),
    jobs: createDecisionMailJobs(ports, uniqueRequests),
  };
};
