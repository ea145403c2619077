import { type CollectionId, jobKinds } from '@portico/domain';
import { endOfTime, start } from './records.ts';
import type { Stores } from './stores.ts';

const noLimit = 1_000_000;
const anyTime = { first: 0, end: noLimit, profileId: null, collectionId: null };

/** Returns everything that the reads of the stores return. Two snapshots are equal if nothing changed in between. */
export const snapshotOf = async (stores: Stores) => {
  const { callers, profiles, collections, credentials, operations, grants, groups, requests, audit, limits } = stores;
  const { embeddingJobs, outbox, deadLetters, sealed, usage, serviceAccounts } = stores;
  const people = await profiles.list();
  const ids = [...(await collections.listVisibleIds({ scope: 'all' }))].sort();
  const accounts = await serviceAccounts.list();
  const readEach = <T>(read: (id: CollectionId) => Promise<T>): Promise<T[]> => Promise.all(ids.map(read));
  return {
    // These rows contain the keys, limits and epochs.
    callers: await Promise.all(people.map(({ uid }) => callers.findByUid(uid, null, start))),
    accounts: await Promise.all(accounts.map(({ id }) => callers.findByAccountId(id, null))),
    collections: await readEach((id) => collections.find(id)),
    credentials: await readEach((id) => credentials.list(id)),
    documents: await readEach((id) => collections.findDocument(id)),
    originals: await readEach((id) => collections.findOriginal(id)),
    revisions: await readEach((id) => stores.revisions.list(id, { limit: noLimit, before: null })),
    operations: await readEach((id) => operations.list(id, { tag: null, containing: null }, null)),
    grants: await readEach((id) => grants.listClients(id, start)),
    requests: await requests.list(
      { status: null, profileId: null, collectionId: null },
      { limit: noLimit, order: 'oldest first', after: null },
    ),
    calls: await stores.calls.list({ status: null, profileId: null, collectionId: null }, start, {
      limit: noLimit,
      order: 'oldest first',
      after: null,
    }),
    groups: await Promise.all(
      (await groups.list(start)).map(async (group) => ({
        group,
        members: await groups.listMembers(group.id),
        collections: await groups.listCollections(group.id, start),
      })),
    ),
    entries: (await audit.readPage({ source: 'all' }, 0, noLimit)).entries,
    webhooks: await Promise.all(
      (await stores.webhooks.list()).map(async (webhook) => [
        webhook,
        await stores.webhooks.listDeliveries(webhook.id),
      ]),
    ),
    tiers: await limits.listTiers(),
    overrides: await limits.listOverrides(false),
    lastRun: await embeddingJobs.findLastRun(),
    jobs: await Promise.all(jobKinds.map((kind) => outbox.listDue(kind, endOfTime, noLimit))),
    outbox: await outbox.readState(endOfTime),
    deadLetters: await deadLetters.list(noLimit),
    sealed: await sealed.read(),
    usage: await usage.report('day', anyTime, noLimit),
    operationUsage: await usage.report('operation', anyTime, noLimit),
  };
};
