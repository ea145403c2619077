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
  Webhook,
} from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';
import { createManualDeadline, createDeadlineExpiringAtCommit } from './deadlines.ts';
import { grantToClient, revokeFromClient } from './granting.ts';
import {
  createAddDecision,
  aCollection,
  aCredential,
  aDocumentContent,
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
  jobEffectsOf,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import { snapshotOf } from './snapshot.ts';
import type { Stores } from './stores.ts';
import { aWebhook } from './webhook-records.ts';

/** The contents of the stores before a change. */
interface Fixture {
  readonly client: Profile;
  readonly otherClient: Profile;
  readonly collection: CollectionHead;
  readonly group: Group;
  readonly tier: Tier;
  readonly override: Override;
  readonly account: ServiceAccount;
  readonly webhook: Webhook;
  readonly mail: ReturnType<typeof aMailJob>;
  readonly deadLetter: NewJob;
}

type Change = (stores: Stores, effects: Effects, fixture: Fixture) => Promise<unknown>;

/**
 * Returns a check that the change begins its commit by its deadline, changes something and reports the jobs that it
 * writes. If the deadline expires just as the commit begins, the change must throw `timed_out`, write nothing and
 * report nothing.
 */
const checkDeadline =
  (change: Change, jobCount = 1) =>
  async (stores: Stores): Promise<void> => {
    const fixture = await setUp(stores);
    const before = await snapshotOf(stores);
    const effects = someEffects();
    const reportedJobs: NewJob[] = [];
    stores.outbox.onWritten((jobs) => reportedJobs.push(...jobs));
    const attempt = (deadline: Deadline) => change(stores, { ...effects, deadline }, fixture);
    await assertRejects(attempt(createDeadlineExpiringAtCommit()), 'timed_out');
    deepStrictEqual(await snapshotOf(stores), before);
    deepStrictEqual(reportedJobs, [], 'jobs that were not written were reported');
    const deadline = createManualDeadline();
    await attempt(deadline);
    strictEqual(deadline.hasBegunCommit, true, 'the commit did not begin by the deadline');
    notDeepStrictEqual(await snapshotOf(stores), before, 'the change did not change anything');
    strictEqual(reportedJobs.length, jobCount, 'the reported jobs differ from the written ones');
  };

const laterUpdate = { updatedAt: start + 9 };

/** The contract of `Effects.deadline` for every store, and of the audit log's own deadline. */
export const deadlineContract = {
  'adding a profile starts to commit before its deadline or writes nothing': checkDeadline(({ profiles }, effects) =>
    profiles.add(aProfile(), effects),
  ),
  'updating a profile starts to commit before its deadline or writes nothing': checkDeadline(
    ({ profiles }, effects, { client }) =>
      profiles.update(client.id, ({ profile }) => ({
        profile: { ...profile, fullName: 'Else' },
        key: null,
        ...effects,
      })),
  ),
  'removing a profile starts to commit before its deadline or writes nothing': checkDeadline(
    ({ profiles }, effects, { client }) => profiles.remove(client.id, () => effects),
  ),
  'claiming the role of first admin starts to commit before its deadline or writes nothing': checkDeadline(
    ({ profiles }, effects) => {
      const profile = anAdmin();
      return profiles.claimAdmin(profile, () => ({ profile, ...effects }));
    },
  ),
  'adding a collection starts to commit before its deadline or writes nothing': checkDeadline(
    ({ collections }, effects) => collections.add(aCollection(), aDocumentContent(), effects),
  ),
  'updating a collection starts to commit before its deadline or writes nothing': checkDeadline(
    ({ collections }, effects, { collection: { id } }) =>
      collections.update(id, (collection) => ({
        collection: { ...collection, name: 'Else', documentDigest: '0'.repeat(64) },
        document: aDocumentContent('{}'),
        ...effects,
      })),
  ),
  'changing the credentials of a collection starts to commit before its deadline or writes nothing': checkDeadline(
    ({ credentials }, effects, { collection: { id } }) =>
      credentials.update(id, (collection) => ({ collection, credentials: [aCredential('key')], ...effects })),
  ),
  'removing a collection starts to commit before its deadline or writes nothing': checkDeadline(
    ({ collections }, effects, { collection }) => collections.remove(collection.id, () => effects),
  ),
  'a grant starts to commit before its deadline or writes nothing': checkDeadline(
    ({ grants }, effects, { otherClient, collection }) =>
      grantToClient(grants, otherClient.id, collection.id, () => ({ grantedAt: start, ...effects })),
  ),
  'a revocation starts to commit before its deadline or writes nothing': checkDeadline(
    ({ grants }, effects, { client, collection }) => revokeFromClient(grants, client.id, collection.id, () => effects),
  ),
  'adding a group starts to commit before its deadline or writes nothing': checkDeadline(({ groups }, effects) =>
    groups.add(aGroup(), effects),
  ),
  'updating a group starts to commit before its deadline or writes nothing': checkDeadline(
    ({ groups }, effects, { group }) =>
      groups.update(group.id, (current) => ({ group: { ...current, name: 'Else' }, ...effects })),
  ),
  'removing a group starts to commit before its deadline or writes nothing': checkDeadline(
    ({ groups }, effects, { group }) => groups.remove(group.id, () => effects),
  ),
  'changing members starts to commit before its deadline or writes nothing': checkDeadline(
    ({ groups }, effects, { group, client }) =>
      groups.updateMembers(group.id, [client.id], start, () => ({
        add: [{ id: client.id, addedAt: start }],
        ...effects,
      })),
  ),
  'changing claims starts to commit before its deadline or writes nothing': checkDeadline(
    ({ groups }, effects, { group, client }) =>
      groups.syncClaims(client.id, { names: [group.name], issuedAt: start, seenAt: start }, () => effects),
  ),
  'adding a tier starts to commit before its deadline or writes nothing': checkDeadline(({ limits }, effects) =>
    limits.addTier(aTier({ tier: 'silver' }), effects),
  ),
  'updating a tier starts to commit before its deadline or writes nothing': checkDeadline(
    ({ limits }, effects, { tier }) =>
      limits.updateTier(tier.tier, (current) => ({ tier: { ...current, allowed: 5, ...laterUpdate }, ...effects })),
  ),
  'removing a tier starts to commit before its deadline or writes nothing': checkDeadline(
    ({ limits }, effects, { tier }) => limits.removeTier(tier.tier, () => ({ removedAt: start, ...effects })),
  ),
  'adding an override starts to commit before its deadline or writes nothing': checkDeadline(
    ({ limits }, effects, { client }) => limits.addOverride(client.id, createAddDecision(anOverride(), effects)),
  ),
  'updating an override starts to commit before its deadline or writes nothing': checkDeadline(
    ({ limits }, effects, { override }) =>
      limits.updateOverride(override.id, (current) => ({
        override: { ...current, allowed: 5, ...laterUpdate },
        ...effects,
      })),
  ),
  'removing an override starts to commit before its deadline or writes nothing': checkDeadline(
    ({ limits }, effects, { override }) => limits.removeOverride(override.id, () => effects),
  ),
  'adding a service account starts to commit before its deadline or writes nothing': checkDeadline(
    ({ serviceAccounts }, effects) =>
      serviceAccounts.add(() => ({ account: anAccount(), key: anAccountKey(), ...effects })),
  ),
  'updating a service account starts to commit before its deadline or writes nothing': checkDeadline(
    ({ serviceAccounts }, effects, { account }) =>
      serviceAccounts.update(account.id, (state) => ({
        account: { ...state.account, name: 'Else' },
        key: null,
        ...effects,
      })),
  ),
  'removing a service account starts to commit before its deadline or writes nothing': checkDeadline(
    ({ serviceAccounts }, effects, { account }) => serviceAccounts.remove(account.id, () => effects),
  ),
  'adding a webhook starts to commit before its deadline or writes nothing': checkDeadline(({ webhooks }, effects) =>
    webhooks.add(() => ({ webhook: aWebhook(), ...effects })),
  ),
  'updating a webhook starts to commit before its deadline or writes nothing': checkDeadline(
    ({ webhooks }, effects, { webhook }) =>
      webhooks.update(webhook.id, () => ({ webhook: { ...webhook, description: 'else' }, ...effects })),
  ),
  'removing a webhook starts to commit before its deadline or writes nothing': checkDeadline(
    ({ webhooks }, effects, { webhook }) => webhooks.remove(webhook.id, () => effects),
  ),
  'resealing starts to commit before its deadline or writes nothing': checkDeadline(({ outbox }, effects, { mail }) =>
    outbox.reseal(mail.id, mail.task.sealed, 'YW5ldw', effects),
  ),
  'resetting lost secrets starts to commit before its deadline or writes nothing': checkDeadline(
    ({ sealed }, effects, { mail }) =>
      sealed.reset(() => ({
        collections: [],
        credentials: [],
        mails: [mail.id],
        calls: [],
        webhooks: [],
        pepper: null,
        resetAt: start,
        reason: 'lost',
        ...effects,
      })),
  ),
  'requeueing a dead letter starts to commit before its deadline or writes nothing': checkDeadline(
    ({ deadLetters }, effects, { deadLetter }) => deadLetters.requeue(deadLetter.id, start, effects),
  ),
  'requeueing several dead letters starts to commit before its deadline or writes nothing': checkDeadline(
    ({ deadLetters }, effects, { deadLetter }) =>
      deadLetters.requeueEach(new Set([deadLetter.id]), start, () => effects),
  ),
  'requeueing all dead letters starts to commit before its deadline or writes nothing': checkDeadline(
    ({ deadLetters }, effects) => deadLetters.requeueAll(start, () => effects),
  ),
  'discarding a dead letter starts to commit before its deadline or writes nothing': checkDeadline(
    ({ deadLetters }, effects, { deadLetter }) => deadLetters.discard(deadLetter.id, effects),
  ),
  'enqueueing jobs starts to commit before its deadline or writes nothing': checkDeadline(
    ({ embeddingJobs }, effects) => embeddingJobs.enqueue(effects),
  ),
  'starting a run starts to commit before its deadline or writes nothing': checkDeadline(({ embeddingJobs }, effects) =>
    embeddingJobs.startRun(() => ({
      ...effects,
      run: { id: 'r1', total: 1, startedAt: start },
      jobs: [aJob({ group: 'r1' })],
    })),
  ),
  'appending an entry starts to commit before its deadline or writes nothing': checkDeadline(
    ({ audit }, { deadline }) => audit.append(anEntry(), deadline),
    0,
  ),
  'when entries are appended concurrently, all are stored except those whose deadline expires': async ({ audit }) => {
    const [firstEntry, expiringEntry, secondEntry, expiredEntry] = [anEntry(), anEntry(), anEntry(), anEntry()];
    const expiredDeadline = createManualDeadline();
    expiredDeadline.expire();
    const outcomes = await Promise.allSettled([
      audit.append(firstEntry, null),
      audit.append(expiringEntry, createDeadlineExpiringAtCommit()),
      audit.append(secondEntry, createManualDeadline()),
      audit.append(expiredEntry, expiredDeadline),
    ]);
    deepStrictEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
    );
    const { entries } = await audit.readPage({ source: 'all' }, 0, 9);
    deepStrictEqual(entries.map(({ id }) => id).sort(), [firstEntry.id, secondEntry.id].sort());
  },
} satisfies Contract<Stores>;

const setUp = async (stores: Stores): Promise<Fixture> => {
  const { profiles, collections, grants, groups, limits, embeddingJobs, outbox, serviceAccounts } = stores;
  const [client, otherClient, collection, group, tier] = [aProfile(), aProfile(), aCollection(), aGroup(), aTier()];
  for (const profile of [client, otherClient, anAdmin()]) await profiles.add(profile, noEffects);
  await collections.add(collection, aDocumentContent(), noEffects);
  await grantToClient(grants, client.id, collection.id, () => ({ grantedAt: start, ...noEffects }));
  await groups.add(group, noEffects);
  await limits.addTier(tier, noEffects);
  const override = await limits.addOverride(client.id, createAddDecision(anOverride()));
  const account = anAccount();
  await serviceAccounts.add(() => ({ account, key: anAccountKey(), ...noEffects }));
  const webhook = aWebhook();
  await stores.webhooks.add(() => ({ webhook, ...noEffects }));
  const [mail, deadLetter] = [aMailJob(client.id), aJob()];
  await embeddingJobs.enqueue(jobEffectsOf(mail, deadLetter));
  await outbox.deadLetter(deadLetter.id, start, 'no use');
  return { client, otherClient, collection, group, tier, override, account, webhook, mail, deadLetter };
};
