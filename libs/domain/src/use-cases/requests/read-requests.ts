import { isAdmin, type Principal, visibilityOf } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { ProfileId, RequestId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { RequestPage } from '../../ports/access-request-store.ts';
import type { ListedRequest, RequestFilter } from '../../requests/access-request.ts';

type Needs = Pick<Ports, 'requests' | 'collections'>;

/** A request, as visible to its reader. */
export interface VisibleRequest extends Omit<ListedRequest, 'collectionName' | 'discoverable'> {
  /** Null if the reader may no longer see the collection. */
  readonly collectionName: string | null;
}

/**
 * Returns a page of the requests that match the filter: those of all profiles for an admin, and its own for any other
 * caller; throws `admin_required` if the filter is for another profile. Pending requests are sorted oldest first, since
 * they are waiting; all others are sorted newest first.
 */
export const listRequests =
  ({ requests, collections }: Needs) =>
  async (
    principal: Principal,
    filter: RequestFilter,
    page: Omit<RequestPage, 'order'>,
  ): Promise<readonly VisibleRequest[]> => {
    const profileId = isAdmin(principal.profile) ? filter.profileId : ownId(principal, filter.profileId);
    const listed = await requests.list({ ...filter, profileId }, { ...page, order: orderOf(filter) });
    return visibleTo({ collections }, principal, listed);
  };

const orderOf = ({ status }: RequestFilter): RequestPage['order'] =>
  status === 'pending' ? 'oldest first' : 'newest first';

/** Returns a request; throws `request_not_found` unless it is the caller's own, or the caller is an admin. */
export const readRequest =
  ({ requests, collections }: Needs) =>
  async (principal: Principal, id: RequestId): Promise<VisibleRequest> => {
    const request = await requests.find(id);
    const isOwn = request?.profileId === principal.profile.id;
    const [visible] =
      request && (isOwn || isAdmin(principal.profile)) ? await visibleTo({ collections }, principal, [request]) : [];
    if (!visible) throw new PorticoError('request_not_found');
    return visible;
  };

const ownId = ({ profile }: Principal, requestedId: ProfileId | null): ProfileId => {
  if (requestedId !== null && requestedId !== profile.id) throw new PorticoError('admin_required');
  return profile.id;
};

const visibleTo = async (
  { collections }: Pick<Ports, 'collections'>,
  principal: Principal,
  listed: readonly ListedRequest[],
): Promise<readonly VisibleRequest[]> => {
  const seesAllNames = isAdmin(principal.profile) || listed.every(({ discoverable }) => discoverable);
  const visible = seesAllNames ? null : new Set(await collections.visibleIds(visibilityOf(principal)));
  return listed.map(({ discoverable, ...request }) =>
    visible === null || discoverable || visible.has(request.collectionId)
      ? request
      : { ...request, collectionName: null },
  );
};
