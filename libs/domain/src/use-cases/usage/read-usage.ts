import { type AdminAuthority, isAdmin, type Principal, visibilityOf } from '../../access/principal.ts';
import type { CollectionHead } from '../../collections/collection.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, ProfileId } from '../../ids.ts';
import type { Instant } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { Profile } from '../../profiles/profile.ts';
import { daysBetween, type LastUse, type UsageGrouping, type UsageLine, usageLinesMax } from '../../usage/usage.ts';

export interface UsageQuery {
  readonly by: UsageGrouping;
  readonly profileId: ProfileId | null;
  readonly collectionId: CollectionId | null;
  /** The arguments of `daysBetween`. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  /** The number of lines to return, with the most uses first; if absent, all lines are returned in their own order. */
  readonly top?: number | null;
}

/**
 * Returns the uses that match the query. An admin sees the uses of all profiles; any other caller sees its own, without
 * the names of collections that it may no longer see; throws `admin_required` if the query is for another profile.
 */
export const readUsage =
  ({ usage, collections, clock }: Pick<Ports, 'usage' | 'collections' | 'clock'>) =>
  async (principal: Principal, query: UsageQuery): Promise<readonly UsageLine[]> => {
    const profileId = isAdmin(principal.profile) ? query.profileId : ownId(principal, query.profileId);
    const lines = await readLines({ usage, clock }, { ...query, profileId });
    if (query.by !== 'collection' || isAdmin(principal.profile)) return lines;
    const visible = new Set(await collections.visibleIds(visibilityOf(principal)));
    return lines.map((line) => withoutHiddenName(line, visible));
  };

const readLines = async (
  { usage, clock }: Pick<Ports, 'usage' | 'clock'>,
  { by, from, to, top, profileId, collectionId }: UsageQuery,
): Promise<readonly UsageLine[]> => {
  const filter = { ...daysBetween(from, to, clock.now()), profileId, collectionId };
  if (top != null) return usage.report(by, filter, top, 'most');
  const lines = await usage.report(by, filter, usageLinesMax + 1);
  if (lines.length > usageLinesMax) throw new PorticoError('invalid_query', { because: tooMany });
  return lines;
};

const tooMany = `more than ${usageLinesMax.toLocaleString('en')} lines: ask for a shorter time, one collection, one profile or the top`;

const ownId = ({ profile }: Principal, requestedId: ProfileId | null): ProfileId => {
  if (requestedId !== null && requestedId !== profile.id) throw new PorticoError('admin_required');
  return profile.id;
};

const withoutHiddenName = ({ of, counts }: UsageLine, visible: ReadonlySet<CollectionId>): UsageLine =>
  of.by === 'collection' && of.collectionId !== null && !visible.has(of.collectionId)
    ? { of: { ...of, collectionName: null }, counts }
    : { of, counts };

/** Returns when these profiles were last used. */
export const readProfileUses =
  ({ usage }: Pick<Ports, 'usage'>) =>
  (_authority: AdminAuthority, profiles: readonly Pick<Profile, 'id'>[]): Promise<ReadonlyMap<ProfileId, LastUse>> =>
    usage.profileUses(profiles.map(({ id }) => id));

/** Returns when the caller's own profile was last used; null if never. */
export const readOwnUse =
  ({ usage }: Pick<Ports, 'usage'>) =>
  async ({ profile }: Principal): Promise<LastUse | null> =>
    (await usage.profileUses([profile.id])).get(profile.id) ?? null;

/** Returns when these collections were last used: by anyone for an admin, and by itself for any other caller. */
export const readCollectionUses =
  ({ usage }: Pick<Ports, 'usage'>) =>
  (
    { profile }: Principal,
    collections: readonly Pick<CollectionHead, 'id'>[],
  ): Promise<ReadonlyMap<CollectionId, Instant>> => {
    const ids = collections.map(({ id }) => id);
    return usage.collectionUses(ids, isAdmin(profile) ? null : profile.id);
  };
