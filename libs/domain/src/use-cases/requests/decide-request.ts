import type { AdminAuthority } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { refusePast } from '../../grants/expiry.ts';
import type { Grant } from '../../grants/grant.ts';
import type { RequestId } from '../../ids.ts';
import { dayMs, type Instant, toIso } from '../../instant.ts';
import type { RequestChange, RequestState } from '../../ports/access-request-store.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest, ListedRequest } from '../../requests/access-request.ts';
import { decidedRequest, type RequestEvent } from '../../requests/request-machine.ts';
import { ofCollection, ofProfile, recorded, type SystemMessage } from '../audit/system-entry.ts';
import { decidedJobs } from '../mails/mail-jobs.ts';

type Needs = Pick<Ports, 'clock' | 'random' | 'requests' | 'mailer'>;

export interface ApprovedRequest {
  readonly request: ListedRequest;
  readonly grant: Grant;
}

/**
 * Approves a pending request and grants the access, in one transaction. Without `expiresAt` it ends after the days that
 * were asked for, if any; null is no end. Throws `invalid_body` for an end that has passed, and `client_not_found` if
 * the asker is an admin by now, as a grant would.
 */
export const approveRequest =
  (ports: Needs) =>
  async (authority: AdminAuthority, id: RequestId, expiresAt: Instant | null | undefined): Promise<ApprovedRequest> => {
    const now = ports.clock.now();
    refusePast(expiresAt, now);
    return decideOne(ports, id, (state) => {
      const request = decidedRequest(state.request, 'approve', now);
      if (state.profile.role !== 'client') throw new PorticoError('client_not_found');
      const grant = { grantedAt: now, expiresAt: expiresAt === undefined ? endOf(request, now) : expiresAt };
      const until = grant.expiresAt === null ? {} : { expires_at: toIso(grant.expiresAt) };
      return { request, grant, ...recorded(ports, authority, message(state, 'approve', until)) };
    });
  };

/** Denies a pending request; `answer` tells the asker why. */
export const denyRequest =
  (ports: Needs) =>
  async (authority: AdminAuthority, id: RequestId, answer: string | null): Promise<ListedRequest> => {
    const now = ports.clock.now();
    const { request } = await decideOne(ports, id, (state) => ({
      request: decidedRequest(state.request, 'deny', now, answer),
      ...recorded(ports, authority, message(state, 'deny')),
    }));
    return request;
  };

const endOf = ({ durationDays }: AccessRequest, now: Instant): Instant | null =>
  durationDays === null ? null : now + durationDays * dayMs;

const message = (
  { request, profile }: RequestState,
  event: Exclude<RequestEvent, 'grant'>,
  set: Omit<SystemMessage, 'action'> = {},
): SystemMessage => ({
  action: `access.request.${event}`,
  request_id: request.id,
  ...ofProfile(profile),
  ...ofCollection({ id: request.collectionId, name: request.collectionName }),
  ...set,
});

/** Decides about a request, and tells the asker; returns the decision that was stored. */
const decideOne = async <Decision extends RequestChange>(
  ports: Needs,
  id: RequestId,
  decide: (state: RequestState) => Decision,
): Promise<Decision> => {
  let stored: Decision | null = null;
  await ports.requests.decide(id, (state) => {
    stored = decide(state);
    return { ...stored, jobs: decidedJobs(ports, [stored.request]) };
  });
  if (!stored) throw new Error('The store fulfilled a decision without asking for it.');
  return stored;
};
