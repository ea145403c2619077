import { type AdminAuthority, isAdmin, type Principal, visibilityOf } from '../../access/principal.ts';
import type { CollectionHead } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { Profile } from '../../profiles/profile.ts';
import { toDayRange, type LastUse, type UsageGrouping, type UsageLine, usageLinesMax } from '../../usage/usage.ts';

export interface UsageQuery {
  readonly by: UsageGrouping;
  readonly profileId: ProfileId | null;
  readonly collectionId: CollectionId | null;
  /** The arguments of `toDayRange`. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  /** The number of lines to return, with the most uses first; if absent, all lines are returned in their own order. */
  readonly top?: number | null;
}

/**
 * Returns the uses that match the query. An admin sees the uses of all profiles; any other caller sees its own, without
 * the names, methods and paths of collections that it may no longer see; throws `admin_required` if the query is for
 * another profile.
 */
export const readUsage =
  ({ usage, collections, clock }: Pick<Ports, 'usage' | 'collections' | 'clock'>) =>
  async (principal: Principal, query: UsageQuery): Promise<readonly UsageLine[]> => {
    const profileId = isAdmin(principal.profile) ? query.profileId : requireOwnId(principal, query.profileId);
    const lines = await readLines({ usage, clock }, { ...query, profileId });
    if (!namesCollections(query.by) || isAdmin(principal.profile)) return lines;
    const visibleIds = new Set(await collections.listVisibleIds(visibilityOf(principal)));
    return lines.map((line) => hideName(line, visibleIds));
  };

const readLines = async (
  { usage, clock }: Pick<Ports, 'usage' | 'clock'>,
  { by, from, to, top, profileId, collectionId }: UsageQuery,
): Promise<readonly UsageLine[]> => {
  const filter = { ...toDayRange(from, to, clock.now()), profileId, collectionId };
  if (top != null) return usage.report(by, filter, top, 'most');
  const lines = await usage.report(by, filter, usageLinesMax + 1);
  if (lines.length > usageLinesMax) throw new PorticoError('invalid_query', { reason: tooManyMessage });
  return lines;
};

const tooManyMessage = `more than ${usageLinesMax.toLocaleString('en')} lines: request a shorter period, one collection, one profile or only the top lines`;

const requireOwnId = ({ profile }: Principal, requestedId: ProfileId | null): ProfileId => {
  if (requestedId !== null && requestedId !== profile.id) throw new PorticoError('admin_required');
  return profile.id;
};

const namesCollections = (grouping: UsageGrouping): boolean => grouping === 'collection' || grouping === 'operation';

const hideName = ({ subject, counts }: UsageLine, visibleIds: ReadonlySet<CollectionId>): UsageLine => {
  if (subject.by === 'collection' && subject.collectionId !== null && !visibleIds.has(subject.collectionId))
    return { subject: { ...subject, collectionName: null }, counts };
  if (subject.by === 'operation' && !visibleIds.has(subject.collectionId))
    return { subject: { ...subject, collectionName: null, method: null, path: null }, counts };
  return { subject, counts };
};

/** Returns when these profiles were last used. */
export const readProfileUses =
  ({ usage }: Pick<Ports, 'usage'>) =>
  (_authority: AdminAuthority, profiles: readonly Pick<Profile, 'id'>[]): Promise<ReadonlyMap<ProfileId, LastUse>> =>
    usage.findProfileUses(profiles.map(({ id }) => id));

/** Returns when the caller's own profile was last used; null if never. */
export const readOwnUse =
  ({ usage }: Pick<Ports, 'usage'>) =>
  async ({ profile }: Principal): Promise<LastUse | null> =>
    (await usage.findProfileUses([profile.id])).get(profile.id) ?? null;

/** Returns when these collections were last used: by anyone for an admin, and by itself for any other caller. */
export const readCollectionUses =
  ({ usage }: Pick<Ports, 'usage'>) =>
  (
    { profile }: Principal,
    collections: readonly Pick<CollectionHead, 'id'>[],
  ): Promise<ReadonlyMap<CollectionId, Instant>> => {
    const ids = collections.map(({ id }) => id);
    return usage.findCollectionUses(ids, isAdmin(profile) ? null : profile.id);
  };
