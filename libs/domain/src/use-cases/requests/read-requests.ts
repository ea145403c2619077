import { isAdmin, type Principal, visibilityOf } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { ProfileId, RequestId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import type { RequestPage } from '../../ports/access-request-store.ts';
import type { ListedRequest, RequestFilter } from '../../requests/access-request.ts';

type Needs = Pick<Ports, 'requests' | 'collections'>;

/** A request as its reader sees it. */
export interface ShownRequest extends Omit<ListedRequest, 'collectionName' | 'discoverable'> {
  /** Null if the reader may no longer see the collection. */
  readonly collectionName: string | null;
}

/**
 * Returns a page of the requests under the filter: for an admin everybody's, for anyone else its own; throws
 * `admin_required` if it asks for another's. The pending ones come oldest first, since these wait; all others newest
 * first.
 */
export const listRequests =
  ({ requests, collections }: Needs) =>
  async (
    principal: Principal,
    filter: RequestFilter,
    page: Omit<RequestPage, 'order'>,
  ): Promise<readonly ShownRequest[]> => {
    const profileId = isAdmin(principal.profile) ? filter.profileId : ownId(principal, filter.profileId);
    const found = await requests.list({ ...filter, profileId }, { ...page, order: orderOf(filter) });
    return shownTo({ collections }, principal, found);
  };

const orderOf = ({ status }: RequestFilter): RequestPage['order'] =>
  status === 'pending' ? 'oldest first' : 'newest first';

/** Returns a request; throws `request_not_found` unless it is the caller's, or the caller an admin. */
export const readRequest =
  ({ requests, collections }: Needs) =>
  async (principal: Principal, id: RequestId): Promise<ShownRequest> => {
    const found = await requests.find(id);
    const isOwn = found?.profileId === principal.profile.id;
    const [shown] =
      found && (isOwn || isAdmin(principal.profile)) ? await shownTo({ collections }, principal, [found]) : [];
    if (!shown) throw new PorticoError('request_not_found');
    return shown;
  };

const ownId = ({ profile }: Principal, asked: ProfileId | null): ProfileId => {
  if (asked !== null && asked !== profile.id) throw new PorticoError('admin_required');
  return profile.id;
};

const shownTo = async (
  { collections }: Pick<Ports, 'collections'>,
  principal: Principal,
  found: readonly ListedRequest[],
): Promise<readonly ShownRequest[]> => {
  const isShown = isAdmin(principal.profile) || found.every(({ discoverable }) => discoverable);
  const visible = isShown ? null : new Set(await collections.visibleIds(visibilityOf(principal)));
  return found.map(({ discoverable, ...request }) =>
    visible === null || discoverable || visible.has(request.collectionId)
      ? request
      : { ...request, collectionName: null },
  );
};
