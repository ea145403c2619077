import { deadlineContract } from '@portico/contracts';
import type { Effects } from '@portico/domain';
import { breachesOf, breakPort, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const audit = breachesOf('audit');
const collections = breachesOf('collections');
const credentials = breachesOf('credentials');
const deadLetters = breachesOf('deadLetters');
const embeddingJobs = breachesOf('embeddingJobs');
const grants = breachesOf('grants');
const groups = breachesOf('groups');
const limits = breachesOf('limits');
const outbox = breachesOf('outbox');
const profiles = breachesOf('profiles');
const sealedSecrets = breachesOf('sealed');
const serviceAccounts = breachesOf('serviceAccounts');
const webhooks = breachesOf('webhooks');

proveStores('the memory stores', deadlineContract, {
  'adding a profile starts to commit before its deadline or writes nothing': profiles.add.ignoreDeadline(),
  'updating a profile starts to commit before its deadline or writes nothing': profiles.update.ignoreDeadline(),
  'removing a profile starts to commit before its deadline or writes nothing': profiles.remove.ignoreDeadline(),
  'claiming the role of first admin starts to commit before its deadline or writes nothing':
    profiles.claimAdmin.ignoreDeadline(),
  'adding a collection starts to commit before its deadline or writes nothing': collections.add.ignoreDeadline(),
  'updating a collection starts to commit before its deadline or writes nothing': collections.update.ignoreDeadline(),
  'changing the credentials of a collection starts to commit before its deadline or writes nothing':
    credentials.update.ignoreDeadline(),
  'removing a collection starts to commit before its deadline or writes nothing': collections.remove.ignoreDeadline(),
  'a grant starts to commit before its deadline or writes nothing': grants.update.ignoreDeadline(),
  // Checks the deadline only after the commit.
  'a revocation starts to commit before its deadline or writes nothing': grants.update.replaceWith(
    async ([pairs, decide], original) => {
      let deadline: Effects['deadline'] = null;
      await original.update(pairs, (states) => {
        const change = decide(states);
        deadline = change.deadline;
        return { ...change, deadline: null };
      });
      (deadline as Effects['deadline'])?.beginCommit();
    },
  ),
  'adding a group starts to commit before its deadline or writes nothing': groups.add.ignoreDeadline(),
  'updating a group starts to commit before its deadline or writes nothing': groups.update.ignoreDeadline(),
  'removing a group starts to commit before its deadline or writes nothing': groups.remove.ignoreDeadline(),
  'changing members starts to commit before its deadline or writes nothing': groups.updateMembers.ignoreDeadline(),
  'changing claims starts to commit before its deadline or writes nothing': groups.syncClaims.ignoreDeadline(),
  'adding a tier starts to commit before its deadline or writes nothing': limits.addTier.ignoreDeadline(),
  'updating a tier starts to commit before its deadline or writes nothing': limits.updateTier.ignoreDeadline(),
  'removing a tier starts to commit before its deadline or writes nothing': limits.removeTier.ignoreDeadline(),
  'adding an override starts to commit before its deadline or writes nothing': limits.addOverride.ignoreDeadline(),
  'updating an override starts to commit before its deadline or writes nothing': limits.updateOverride.ignoreDeadline(),
  'removing an override starts to commit before its deadline or writes nothing': limits.removeOverride.ignoreDeadline(),
  'adding a service account starts to commit before its deadline or writes nothing':
    serviceAccounts.add.ignoreDeadline(),
  'updating a service account starts to commit before its deadline or writes nothing':
    serviceAccounts.update.ignoreDeadline(),
  'removing a service account starts to commit before its deadline or writes nothing':
    serviceAccounts.remove.ignoreDeadline(),
  'adding a webhook starts to commit before its deadline or writes nothing': webhooks.add.ignoreDeadline(),
  'updating a webhook starts to commit before its deadline or writes nothing': webhooks.update.ignoreDeadline(),
  'removing a webhook starts to commit before its deadline or writes nothing': webhooks.remove.ignoreDeadline(),
  'resealing starts to commit before its deadline or writes nothing': outbox.reseal.ignoreDeadline(),
  'resetting lost secrets starts to commit before its deadline or writes nothing': sealedSecrets.reset.ignoreDeadline(),
  'requeueing a dead letter starts to commit before its deadline or writes nothing':
    deadLetters.requeue.ignoreDeadline(),
  'requeueing several dead letters starts to commit before its deadline or writes nothing':
    deadLetters.requeueEach.ignoreDeadline(),
  'requeueing all dead letters starts to commit before its deadline or writes nothing':
    deadLetters.requeueAll.ignoreDeadline(),
  'discarding a dead letter starts to commit before its deadline or writes nothing':
    deadLetters.discard.ignoreDeadline(),
  'enqueueing jobs starts to commit before its deadline or writes nothing': embeddingJobs.enqueue.ignoreDeadline(),
  'starting a run starts to commit before its deadline or writes nothing': embeddingJobs.startRun.ignoreDeadline(),
  'appending an entry starts to commit before its deadline or writes nothing': audit.append.mapArguments(([entry]) => [
    entry,
    null,
  ]),
  // Checks the last entry's deadline for all entries in the batch.
  'when entries are appended concurrently, all are stored except those whose deadline expires': breakPort(
    'audit',
    (original) => {
      let lastDeadline: Parameters<typeof original.append>[1] = null;
      return {
        append: async (entry, deadline) => {
          lastDeadline = deadline;
          await pause();
          await original.append(entry, lastDeadline);
        },
      };
    },
  ),
});
