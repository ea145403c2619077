import { deepStrictEqual, notDeepStrictEqual, strictEqual } from 'node:assert/strict';
import type {
  CollectionHead,
  Deadline,
  Effects,
  Group,
  NewJob,
  Override,
  Profile,
  ServiceAccount,
  Tier,
} from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';
import { createManualDeadline, expiringAtCommit } from './deadlines.ts';
import { grantToClient, revokeFromClient } from './granting.ts';
import {
  adding,
  aCollection,
  aContent,
  aGroup,
  aJob,
  aMailJob,
  aProfile,
  aTier,
  anAccount,
  anAccountKey,
  anAdmin,
  anEntry,
  anOverride,
  jobsOnly,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import { snapshotOf } from './snapshot.ts';
import type { Stores } from './stores.ts';

/** The contents of the stores before a change. */
interface Fixture {
  readonly client: Profile;
  readonly other: Profile;
  readonly collection: CollectionHead;
  readonly group: Group;
  readonly tier: Tier;
  readonly override: Override;
  readonly account: ServiceAccount;
  readonly mail: ReturnType<typeof aMailJob>;
  readonly deadLetter: NewJob;
}

type Change = (stores: Stores, effects: Effects, fixture: Fixture) => Promise<unknown>;

/**
 * Returns a check that the change begins its commit by its deadline, changes something and reports the jobs that it
 * writes. If the deadline expires just as the commit begins, the change must throw `timed_out`, write nothing and
 * report nothing.
 */
const respectsDeadline =
  (change: Change, jobs = 1) =>
  async (stores: Stores): Promise<void> => {
    const fixture = await setUp(stores);
    const before = await snapshotOf(stores);
    const effects = someEffects();
    const reported: NewJob[] = [];
    stores.outbox.onWritten((jobs) => reported.push(...jobs));
    const attempt = (deadline: Deadline) => change(stores, { ...effects, deadline }, fixture);
    await assertRejects(attempt(expiringAtCommit()), 'timed_out');
    deepStrictEqual(await snapshotOf(stores), before);
    deepStrictEqual(reported, [], 'jobs were reported that were not written');
    const deadline = createManualDeadline();
    await attempt(deadline);
    strictEqual(deadline.hasBegunCommit, true, 'the commit did not begin by the deadline');
    notDeepStrictEqual(await snapshotOf(stores), before, 'the change changed nothing');
    strictEqual(reported.length, jobs, 'the reported jobs are not the written ones');
  };

const later = { updatedAt: start + 9 };

/** The contract of `Effects.deadline` for every store, and of the audit log's own deadline. */
export const deadlineContract = {
  'an addition of a profile begins its commit in time or not at all': respectsDeadline(({ profiles }, effects) =>
    profiles.add(aProfile(), effects),
  ),
  'an update of a profile begins its commit in time or not at all': respectsDeadline(
    ({ profiles }, effects, { client }) =>
      profiles.update(client.id, ({ profile }) => ({
        profile: { ...profile, fullName: 'Else' },
        key: null,
        ...effects,
      })),
  ),
  'a removal of a profile begins its commit in time or not at all': respectsDeadline(
    ({ profiles }, effects, { client }) => profiles.remove(client.id, () => effects),
  ),
  'a claim of the first admin begins its commit in time or not at all': respectsDeadline(({ profiles }, effects) => {
    const profile = anAdmin();
    return profiles.claimAdmin(profile, () => ({ profile, ...effects }));
  }),
  'an addition of a collection begins its commit in time or not at all': respectsDeadline(({ collections }, effects) =>
    collections.add(aCollection(), aContent(), effects),
  ),
  'an update of a collection begins its commit in time or not at all': respectsDeadline(
    ({ collections }, effects, { collection: { id } }) =>
      collections.update(id, (collection) => ({
        collection: { ...collection, name: 'Else', documentDigest: '0'.repeat(64) },
        document: aContent('{}'),
        ...effects,
      })),
  ),
  'a removal of a collection begins its commit in time or not at all': respectsDeadline(
    ({ collections }, effects, { collection }) => collections.remove(collection.id, () => effects),
  ),
  'a grant begins its commit in time or not at all': respectsDeadline(({ grants }, effects, { other, collection }) =>
    grantToClient(grants, other.id, collection.id, () => ({ grantedAt: start, ...effects })),
  ),
  'a revocation begins its commit in time or not at all': respectsDeadline(
    ({ grants }, effects, { client, collection }) => revokeFromClient(grants, client.id, collection.id, () => effects),
  ),
  'an addition of a group begins its commit in time or not at all': respectsDeadline(({ groups }, effects) =>
    groups.add(aGroup(), effects),
  ),
  'an update of a group begins its commit in time or not at all': respectsDeadline(({ groups }, effects, { group }) =>
    groups.update(group.id, (current) => ({ group: { ...current, name: 'Else' }, ...effects })),
  ),
  'a removal of a group begins its commit in time or not at all': respectsDeadline(({ groups }, effects, { group }) =>
    groups.remove(group.id, () => effects),
  ),
  'a change of members begins its commit in time or not at all': respectsDeadline(
    ({ groups }, effects, { group, client }) =>
      groups.updateMembers(group.id, [client.id], start, () => ({
        add: [{ id: client.id, addedAt: start }],
        ...effects,
      })),
  ),
  'a change of claims begins its commit in time or not at all': respectsDeadline(
    ({ groups }, effects, { group, client }) =>
      groups.syncClaims(client.id, { names: [group.name], issuedAt: start, seenAt: start }, () => effects),
  ),
  'an addition of a tier begins its commit in time or not at all': respectsDeadline(({ limits }, effects) =>
    limits.addTier(aTier({ tier: 'silver' }), effects),
  ),
  'an update of a tier begins its commit in time or not at all': respectsDeadline(({ limits }, effects, { tier }) =>
    limits.updateTier(tier.tier, (current) => ({ tier: { ...current, allowed: 5, ...later }, ...effects })),
  ),
  'a removal of a tier begins its commit in time or not at all': respectsDeadline(({ limits }, effects, { tier }) =>
    limits.removeTier(tier.tier, () => ({ removedAt: start, ...effects })),
  ),
  'an addition of an override begins its commit in time or not at all': respectsDeadline(
    ({ limits }, effects, { client }) => limits.addOverride(client.id, adding(anOverride(), effects)),
  ),
  'an update of an override begins its commit in time or not at all': respectsDeadline(
    ({ limits }, effects, { override }) =>
      limits.updateOverride(override.id, (current) => ({ override: { ...current, allowed: 5, ...later }, ...effects })),
  ),
  'a removal of an override begins its commit in time or not at all': respectsDeadline(
    ({ limits }, effects, { override }) => limits.removeOverride(override.id, () => effects),
  ),
  'an addition of a service account begins its commit in time or not at all': respectsDeadline(
    ({ serviceAccounts }, effects) =>
      serviceAccounts.add(() => ({ account: anAccount(), key: anAccountKey(), ...effects })),
  ),
  'an update of a service account begins its commit in time or not at all': respectsDeadline(
    ({ serviceAccounts }, effects, { account }) =>
      serviceAccounts.update(account.id, (state) => ({
        account: { ...state.account, name: 'Else' },
        key: null,
        ...effects,
      })),
  ),
  'a removal of a service account begins its commit in time or not at all': respectsDeadline(
    ({ serviceAccounts }, effects, { account }) => serviceAccounts.remove(account.id, () => effects),
  ),
  'a resealing begins its commit in time or not at all': respectsDeadline(({ outbox }, effects, { mail }) =>
    outbox.reseal(mail.id, mail.task.sealed, 'YW5ldw', effects),
  ),
  'a reset of lost secrets begins its commit in time or not at all': respectsDeadline(({ sealed }, effects, { mail }) =>
    sealed.reset(() => ({ collections: [], mails: [mail.id], pepper: null, at: start, reason: 'lost', ...effects })),
  ),
  'a requeue of a dead letter begins its commit in time or not at all': respectsDeadline(
    ({ deadLetters }, effects, { deadLetter }) => deadLetters.requeue(deadLetter.id, start, effects),
  ),
  'a requeue of several dead letters begins its commit in time or not at all': respectsDeadline(
    ({ deadLetters }, effects, { deadLetter }) =>
      deadLetters.requeueEach(new Set([deadLetter.id]), start, () => effects),
  ),
  'a requeue of all dead letters begins its commit in time or not at all': respectsDeadline(
    ({ deadLetters }, effects) => deadLetters.requeueAll(start, () => effects),
  ),
  'a discard of a dead letter begins its commit in time or not at all': respectsDeadline(
    ({ deadLetters }, effects, { deadLetter }) => deadLetters.discard(deadLetter.id, effects),
  ),
  'an enqueue begins its commit in time or not at all': respectsDeadline(({ embeddingJobs }, effects) =>
    embeddingJobs.enqueue(effects),
  ),
  'a start of a run begins its commit in time or not at all': respectsDeadline(({ embeddingJobs }, effects) =>
    embeddingJobs.startRun(() => ({
      ...effects,
      run: { id: 'r1', total: 1, startedAt: start },
      jobs: [aJob({ group: 'r1' })],
    })),
  ),
  'an appended entry begins its commit in time or not at all': respectsDeadline(
    ({ audit }, { deadline }) => audit.append(anEntry(), deadline),
    0,
  ),
  'of entries appended concurrently, only those whose deadline expires are left out': async ({ audit }) => {
    const [one, late, two, expired] = [anEntry(), anEntry(), anEntry(), anEntry()];
    const pastDeadline = createManualDeadline();
    pastDeadline.expire();
    const outcomes = await Promise.allSettled([
      audit.append(one, null),
      audit.append(late, expiringAtCommit()),
      audit.append(two, createManualDeadline()),
      audit.append(expired, pastDeadline),
    ]);
    deepStrictEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
    );
    const { entries } = await audit.page({ source: 'all' }, 0, 9);
    deepStrictEqual(entries.map(({ id }) => id).sort(), [one.id, two.id].sort());
  },
} satisfies Contract<Stores>;

const setUp = async (stores: Stores): Promise<Fixture> => {
  const { profiles, collections, grants, groups, limits, embeddingJobs, outbox, serviceAccounts } = stores;
  const [client, other, collection, group, tier] = [aProfile(), aProfile(), aCollection(), aGroup(), aTier()];
  for (const profile of [client, other, anAdmin()]) await profiles.add(profile, noEffects);
  await collections.add(collection, aContent(), noEffects);
  await grantToClient(grants, client.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
  await groups.add(group, noEffects);
  await limits.addTier(tier, noEffects);
  const override = await limits.addOverride(client.id, adding(anOverride()));
  const account = anAccount();
  await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
  const [mail, deadLetter] = [aMailJob(client.id), aJob()];
  await embeddingJobs.enqueue(jobsOnly(mail, deadLetter));
  await outbox.deadLetter(deadLetter.id, start, 'no use');
  return { client, other, collection, group, tier, override, account, mail, deadLetter };
};
