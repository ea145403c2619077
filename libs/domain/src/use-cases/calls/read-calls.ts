import { isAdmin, type Principal, visibilityOf } from '../../access/principal.ts';
import { canExpire, statusAt } from '../../calls/call-machine.ts';
import type { CallFilter, ListedCall } from '../../calls/pending-call.ts';
import { PorticoError } from '../../errors.ts';
import type { CallId, ProfileId } from '../../ids.ts';
import type { CallPage, Ports, StoredCall } from '../../ports/index.ts';
import { omitContent, tryOpenContent } from './call-content.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'calls' | 'collections'>;

/** A call with its current status, as visible to its reader. */
export interface VisibleCall extends Omit<ListedCall, 'collectionName'> {
  /** Null if the reader may no longer see the collection. */
  readonly collectionName: string | null;
}

export interface ReadCall extends VisibleCall {
  /** The text of a JSON object; null if the arguments were deleted, or the reader may not see them. */
  readonly argumentsText: string | null;
}

/**
 * Returns a page of the calls that match the filter: those of all profiles for an admin, and its own for any other
 * caller; throws `admin_required` if the filter is for another profile. Waiting calls are sorted oldest first, all others
 * newest first.
 */
export const listCalls =
  ({ clock, calls, collections }: RequiredPorts) =>
  async (principal: Principal, filter: CallFilter, page: Omit<CallPage, 'order'>): Promise<readonly VisibleCall[]> => {
    const profileId = isAdmin(principal.profile) ? filter.profileId : requireOwnId(principal, filter.profileId);
    const order = filter.status === 'waiting' ? 'oldest first' : 'newest first';
    const now = clock.now();
    const listedCalls = await calls.list({ ...filter, profileId }, now, { ...page, order });
    return toVisibleCalls({ collections }, principal, listedCalls, now);
  };

/**
 * Returns a call; throws `call_not_found` unless it is the caller's own, or the caller is an admin. The arguments are
 * visible to the caller until they are deleted, and to an admin in person while the call waits.
 */
export const readCall =
  ({ clock, calls, collections, cipher }: RequiredPorts & Pick<Ports, 'cipher'>) =>
  async (principal: Principal, id: CallId): Promise<ReadCall> => {
    const call = await calls.find(id);
    const isOwn = call?.profileId === principal.profile.id;
    if (!call || (!isOwn && !isAdmin(principal.profile))) throw new PorticoError('call_not_found');
    const now = clock.now();
    const [visibleCall] = await toVisibleCalls({ collections }, principal, [omitContent(call)], now);
    if (!visibleCall) throw new PorticoError('call_not_found');
    const content = canSeeArguments(principal, call, now) ? tryOpenContent(cipher, call) : null;
    return { ...visibleCall, argumentsText: content && content.argumentsText };
  };

const canSeeArguments = ({ profile, via }: Principal, call: StoredCall, now: number): boolean => {
  const status = statusAt(call, now);
  if (call.profileId === profile.id) return canExpire(status);
  return status === 'waiting' && isAdmin(profile) && via !== 'account';
};

const requireOwnId = ({ profile }: Principal, requestedId: ProfileId | null): ProfileId => {
  if (requestedId !== null && requestedId !== profile.id) throw new PorticoError('admin_required');
  return profile.id;
};

const toVisibleCalls = async (
  { collections }: Pick<Ports, 'collections'>,
  principal: Principal,
  listedCalls: readonly ListedCall[],
  now: number,
): Promise<readonly VisibleCall[]> => {
  const visibleIds =
    isAdmin(principal.profile) || listedCalls.length === 0
      ? null
      : new Set(await collections.listVisibleIds(visibilityOf(principal)));
  return listedCalls.map((call) => ({
    ...call,
    status: statusAt(call, now),
    collectionName: visibleIds === null || visibleIds.has(call.collectionId) ? call.collectionName : null,
  }));
};
