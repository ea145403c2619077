import { type CollectionId, jobKinds } from '@portico/domain';
import { endOfTime, start } from './records.ts';
import type { Stores } from './stores.ts';

const everything = 1_000_000;

/** Returns everything that the reads of the stores return. Two snapshots are equal if nothing changed in between. */
export const snapshotOf = async (stores: Stores) => {
  const { callers, profiles, collections, operations, grants, groups, requests, audit, limits } = stores;
  const { embeddingJobs, outbox, deadLetters, sealed, usage, serviceAccounts } = stores;
  const people = await profiles.list();
  const ids = [...(await collections.visibleIds({ of: 'all' }))].sort();
  const accounts = await serviceAccounts.list();
  const readEach = <T>(read: (id: CollectionId) => Promise<T>): Promise<T[]> => Promise.all(ids.map(read));
  return {
    // These rows contain the keys, limits and epochs.
    callers: await Promise.all(people.map(({ uid }) => callers.byUid(uid, null, start))),
    accounts: await Promise.all(accounts.map(({ id }) => callers.byAccountId(id, null))),
    collections: await readEach((id) => collections.find(id)),
    documents: await readEach((id) => collections.document(id)),
    operations: await readEach((id) => operations.list(id, { tag: null, containing: null }, null)),
    grants: await readEach((id) => grants.clientsOf(id, start)),
    requests: await requests.list(
      { status: null, profileId: null, collectionId: null },
      { limit: everything, order: 'oldest first', after: null },
    ),
    groups: await Promise.all(
      (await groups.list(start)).map(async (group) => ({
        group,
        members: await groups.members(group.id),
        collections: await groups.collectionsOf(group.id, start),
      })),
    ),
    entries: (await audit.page({ source: 'all' }, 0, everything)).entries,
    tiers: await limits.tiers(),
    overrides: await limits.overrides(false),
    lastRun: await embeddingJobs.lastRun(),
    jobs: await Promise.all(jobKinds.map((kind) => outbox.due(kind, endOfTime, everything))),
    outbox: await outbox.state(endOfTime),
    deadLetters: await deadLetters.list(everything),
    sealed: await sealed.read(),
    usage: await usage.report('day', { first: 0, end: everything, profileId: null, collectionId: null }, everything),
  };
};
