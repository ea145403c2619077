import { type DeciderAuthority, ownerIdOf } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import { rejectPastExpiry } from '../../grants/expiry.ts';
import type { Grant } from '../../grants/grant.ts';
import type { ProfileId, RequestId } from '../../ids.ts';
import { dayMs, type Instant, toIso } from '../../instant.ts';
import type { RequestChange, RequestState } from '../../ports/access-request-store.ts';
import type { Ports } from '../../ports/index.ts';
import type { AccessRequest, ListedRequest } from '../../requests/access-request.ts';
import { applyRequestEvent, type RequestEvent } from '../../requests/request-machine.ts';
import { collectionFieldsOf, profileFieldsOf, createAuditEffects, type SystemMessage } from '../audit/system-entry.ts';
import { createDecisionMailJobs } from '../mails/mail-jobs.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'requests' | 'mailer'>;

export interface ApprovedRequest {
  readonly request: ListedRequest;
  readonly grant: Grant;
}

/**
 * Approves a pending request and grants the access, in one transaction. Throws `request_not_found` unless the caller is
 * an admin or owns the collection in this transaction; `collection_retired` for a retired collection. If `expiresAt` is undefined, the access expires
 * after the requested number of days, if any; null means no expiry. Throws `invalid_body` for an expiry in the past,
 * and `client_not_found` if the requester has become an admin, as granting access would.
 */
export const approveRequest =
  (ports: RequiredPorts) =>
  async (
    authority: DeciderAuthority,
    id: RequestId,
    expiresAt: Instant | null | undefined,
  ): Promise<ApprovedRequest> => {
    const now = ports.clock.now();
    rejectPastExpiry(expiresAt, now);
    return decideRequest(ports, authority, id, (state) => {
      const request = applyRequestEvent(state.request, 'approve', now);
      if (state.profile.role !== 'client') throw new PorticoError('client_not_found');
      if (state.lifecycle === 'retired') throw new PorticoError('collection_retired', { reason: retiredMessage });
      const grant = {
        grantedAt: now,
        expiresAt: expiresAt === undefined ? requestedExpiryOf(request, now) : expiresAt,
        rule: null,
      };
      const expiryField = grant.expiresAt === null ? {} : { expires_at: toIso(grant.expiresAt) };
      return {
        request,
        grant,
        ...createAuditEffects(ports, authority, createDecisionMessage(state, 'approve', expiryField)),
      };
    });
  };

/** Denies a pending request; `answer` is the reason for the requester. */
export const denyRequest =
  (ports: RequiredPorts) =>
  async (authority: DeciderAuthority, id: RequestId, answer: string | null): Promise<ListedRequest> => {
    const now = ports.clock.now();
    const { request } = await decideRequest(ports, authority, id, (state) => ({
      request: applyRequestEvent(state.request, 'deny', now, answer),
      ...createAuditEffects(ports, authority, createDecisionMessage(state, 'deny')),
    }));
    return request;
  };

const requestedExpiryOf = ({ durationDays }: AccessRequest, now: Instant): Instant | null =>
  durationDays === null ? null : now + durationDays * dayMs;

const createDecisionMessage = (
  { request, profile }: RequestState,
  event: Exclude<RequestEvent, 'grant'>,
  extraFields: Omit<SystemMessage, 'action'> = {},
): SystemMessage => ({
  action: `access.request.${event}`,
  request_id: request.id,
  ...profileFieldsOf(profile),
  ...collectionFieldsOf({ id: request.collectionId, name: request.collectionName }),
  ...extraFields,
});

/**
 * Throws `request_not_found` for an owner of other collections, and `owner_required` for an owner's own request, which
 * another person decides.
 */
const requireDecider = (ownerId: ProfileId | null, { request, isOwned }: RequestState): void => {
  if (ownerId === null) return;
  if (!isOwned) throw new PorticoError('request_not_found');
  if (request.profileId === ownerId)
    throw new PorticoError('owner_required', { reason: 'another owner or an administrator decides your own request' });
};

const retiredMessage = 'no one can get access to it; deny the request, or activate the API first';

/** Makes and stores a decision about a request, and notifies the requester; returns the decision. */
const decideRequest = async <Decision extends RequestChange>(
  ports: RequiredPorts,
  authority: DeciderAuthority,
  id: RequestId,
  decide: (state: RequestState) => Decision,
): Promise<Decision> => {
  let decision: Decision | null = null;
  const ownerId = ownerIdOf(authority);
  const decideAsCaller = (state: RequestState) => {
    requireDecider(ownerId, state);
    decision = decide(state);
    return { ...decision, jobs: createDecisionMailJobs(ports, [decision.request]) };
  };
  await ports.requests.decide(id, decideAsCaller, ownerId);
  if (!decision) throw new Error('The store fulfilled a decision without calling `decide`.');
  return decision;
};
