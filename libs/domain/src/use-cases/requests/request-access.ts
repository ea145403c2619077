import { type Initiator, type Principal, visibilityOf } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, RequestId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { CatalogPage } from '../../ports/access-request-store.ts';
import { type AccessRequest, type ListedRequest, pendingRequestsMax } from '../../requests/access-request.ts';
import { newRequestRules, type NewRequestState } from '../../requests/new-request-rules.ts';
import type { CatalogEntry } from '../../requests/catalog.ts';
import { applyRequestEvent } from '../../requests/request-machine.ts';
import type { Settings } from '../../settings.ts';
import { collectionFieldsOf, profileFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { createNoticeJobs, createOwnerNoticeJobs } from '../mails/mail-jobs.ts';
import { prepareEvent } from '../webhooks/create-event-jobs.ts';
import { accessRequestedDataOf } from '../webhooks/event-data.ts';

type RequiredPorts = Pick<
  Ports,
  'clock' | 'random' | 'requests' | 'profiles' | 'mailer' | 'collections' | 'groups' | 'webhooks'
>;

export interface NewRequest {
  readonly collectionId: CollectionId;
  readonly reason: string;
  /** The requested duration of the access; null for no expiry. */
  readonly durationDays: number | null;
}

/**
 * Requests access to a collection in the catalog; throws the error of the first of `newRequestRules` that does not
 * hold.
 */
export const requestAccess =
  (ports: RequiredPorts, settings: Settings) =>
  async (principal: Principal, { collectionId, reason, durationDays }: NewRequest): Promise<ListedRequest> => {
    const { id: profileId } = principal.profile;
    const recipients = { collectionId, requester: profileId };
    const jobs = [
      ...(await createNoticeJobs(ports, settings)),
      ...(await createOwnerNoticeJobs(ports, settings, recipients)),
    ];
    const createEventJobs = await prepareEvent(ports, 'access.requested');
    const now = ports.clock.now();
    let createdRequest: ListedRequest | null = null;
    await ports.requests.create(profileId, collectionId, now, (state) => {
      const { profile, collection } = enforceRules(state);
      const request: AccessRequest = {
        id: ports.random.uuid() as RequestId,
        profileId,
        collectionId,
        reason,
        durationDays,
        status: 'pending',
        createdAt: now,
        decidedAt: null,
        answer: null,
      };
      const { email, fullName } = profile;
      createdRequest = {
        ...request,
        email,
        fullName,
        collectionName: collection.name,
        discoverable: collection.discoverable,
      };
      return {
        request,
        ...createAuditEffects(ports, initiatorOf(principal), {
          action: 'access.request',
          request_id: request.id,
          ...profileFieldsOf(profile),
          ...collectionFieldsOf(collection),
          ...(durationDays === null ? {} : { duration_days: durationDays }),
        }),
        jobs: [...jobs, ...createEventJobs(accessRequestedDataOf(createdRequest))],
      };
    });
    if (!createdRequest) throw new Error('The store fulfilled a request without a decision.');
    return createdRequest;
  };

/** Withdraws one of the caller's pending requests; throws `request_not_found` for anyone else's. */
export const withdrawRequest =
  (ports: RequiredPorts) =>
  async (principal: Principal, id: RequestId): Promise<void> => {
    await ports.requests.decide(id, ({ request, profile }) => {
      if (profile.id !== principal.profile.id) throw new PorticoError('request_not_found');
      return {
        request: applyRequestEvent(request, 'withdraw', ports.clock.now()),
        ...createAuditEffects(ports, initiatorOf(principal), {
          action: 'access.request.withdraw',
          request_id: id,
          ...profileFieldsOf(profile),
          ...collectionFieldsOf({ id: request.collectionId, name: request.collectionName }),
        }),
      };
    });
  };

/** Returns a page of the catalog; throws `approval_required` unless the caller is approved. */
export const readCatalog =
  ({ requests }: Pick<Ports, 'requests'>) =>
  async (principal: Principal, page: CatalogPage): Promise<readonly CatalogEntry[]> => {
    if (principal.profile.status !== 'approved') throw new PorticoError('approval_required');
    return requests.listCatalog(visibilityOf(principal), page);
  };

/** Returns which of these collections are discoverable. */
export const readDiscoverable =
  ({ requests }: Pick<Ports, 'requests'>) =>
  (collections: readonly { readonly id: CollectionId }[]): Promise<ReadonlySet<CollectionId>> =>
    requests.findDiscoverable(collections.map(({ id }) => id));

const initiatorOf = ({ profile: { id, email }, deadline }: Principal): Initiator => ({
  actor: { id, email },
  deadline,
});

/** Returns the profile and the collection if every rule holds; throws the error of the first rule that does not. */
const enforceRules = (state: NewRequestState) => {
  for (const rule of newRequestRules) {
    const errorCode = rule(state);
    if (errorCode === 'too_many_pending') throw new PorticoError(errorCode, { reason: tooManyMessage });
    if (errorCode === 'collection_retired') throw new PorticoError(errorCode, { reason: retiredMessage });
    if (errorCode) throw new PorticoError(errorCode);
  }
  const { profile, collection } = state;
  if (!profile || !collection) throw new Error('The rules for new requests accepted a missing profile or collection.');
  return { profile, collection };
};

const retiredMessage = 'no one can get access to it; request another API';
const tooManyMessage = `at most ${pendingRequestsMax} requests can be pending; withdraw one, or try again when some are decided`;
