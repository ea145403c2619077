import { isAdmin, type Principal, visibilityOf } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, ProfileId, RequestId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { RequestPage } from '../../ports/access-request-store.ts';
import type { ListedRequest, RequestFilter } from '../../requests/access-request.ts';

type RequiredPorts = Pick<Ports, 'requests' | 'collections'>;

/** A request, as visible to its reader. */
export interface VisibleRequest extends Omit<ListedRequest, 'collectionName' | 'discoverable'> {
  /** Null if the reader may no longer see the collection. */
  readonly collectionName: string | null;
}

/**
 * Returns a page of the requests that match the filter: those of all profiles for an admin, its own and those for its
 * collections for an owner, and its own for any other caller; then throws `admin_required` if the filter is for another
 * profile. Pending requests are sorted oldest first, since
 * they are waiting; all others are sorted newest first.
 */
export const listRequests =
  ({ requests, collections }: RequiredPorts) =>
  async (
    principal: Principal,
    filter: RequestFilter,
    page: Omit<RequestPage, 'order'>,
  ): Promise<readonly VisibleRequest[]> => {
    const ownedIds = await listOwnedIds({ collections }, principal);
    const isDecider = isAdmin(principal.profile) || ownedIds.size > 0;
    const profileId = isDecider ? filter.profileId : requireOwnId(principal, filter.profileId);
    const ownedBy = ownedIds.size > 0 ? ({ profileId: principal.profile.id, own: 'included' } as const) : null;
    const listedRequests = await requests.list({ ...filter, profileId, ownedBy }, { ...page, order: orderOf(filter) });
    return toVisibleRequests({ collections }, principal, listedRequests, ownedIds);
  };

const orderOf = ({ status }: RequestFilter): RequestPage['order'] =>
  status === 'pending' ? 'oldest first' : 'newest first';

/** Returns a request; throws `request_not_found` unless it is the caller's own, or the caller may decide it. */
export const readRequest =
  ({ requests, collections }: RequiredPorts) =>
  async (principal: Principal, id: RequestId): Promise<VisibleRequest> => {
    const request = await requests.find(id);
    const ownedIds = await listOwnedIds({ collections }, principal);
    const isOwn = request?.profileId === principal.profile.id;
    const [visibleRequest] =
      request && (isOwn || isAdmin(principal.profile) || ownedIds.has(request.collectionId))
        ? await toVisibleRequests({ collections }, principal, [request], ownedIds)
        : [];
    if (!visibleRequest) throw new PorticoError('request_not_found');
    return visibleRequest;
  };

/** Returns the collections that the caller owns; none for an admin, who decides about all of them. */
const listOwnedIds = async (
  { collections }: Pick<Ports, 'collections'>,
  { profile }: Principal,
): Promise<ReadonlySet<CollectionId>> =>
  new Set(isAdmin(profile) || profile.status !== 'approved' ? [] : await collections.listOwnedIds(profile.id));

const requireOwnId = ({ profile }: Principal, requestedId: ProfileId | null): ProfileId => {
  if (requestedId !== null && requestedId !== profile.id) throw new PorticoError('admin_required');
  return profile.id;
};

const toVisibleRequests = async (
  { collections }: Pick<Ports, 'collections'>,
  principal: Principal,
  requests: readonly ListedRequest[],
  ownedIds: ReadonlySet<CollectionId>,
): Promise<readonly VisibleRequest[]> => {
  const canSeeAllNames = isAdmin(principal.profile) || requests.every(({ discoverable }) => discoverable);
  const visibleIds = canSeeAllNames ? null : new Set(await collections.listVisibleIds(visibilityOf(principal)));
  return requests.map(({ discoverable, ...request }) =>
    visibleIds === null || discoverable || visibleIds.has(request.collectionId) || ownedIds.has(request.collectionId)
      ? request
      : { ...request, collectionName: null },
  );
};
