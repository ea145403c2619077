import type { Instant } from '../../instant.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest } from '../../requests/access-request.ts';
import { decidedRequest } from '../../requests/request-machine.ts';
import { decidedJobs } from '../mails/mail-jobs.ts';

/** What a change writes besides that gives access for which requests are pending: it closes them, and tells who asked. */
export const closedByGrant = (
  ports: Pick<Ports, 'clock' | 'random' | 'mailer'>,
  requests: readonly AccessRequest[],
  now: Instant,
): { readonly requests: readonly AccessRequest[]; readonly jobs: readonly NewJob[] } => {
  // A change may give the same access in several ways.
  const each = [...new Map(requests.map((request) => [request.id, request])).values()];
  return { requests: each.map((request) => decidedRequest(request, 'grant', now)), jobs: decidedJobs(ports, each) };
};
