import { deadlineContract } from '@portico/contracts';
import type { Effects } from '@portico/domain';
import { breachesOf, breakPort, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const audit = breachesOf('audit');
const collections = breachesOf('collections');
const deadLetters = breachesOf('deadLetters');
const embeddingJobs = breachesOf('embeddingJobs');
const grants = breachesOf('grants');
const groups = breachesOf('groups');
const limits = breachesOf('limits');
const outbox = breachesOf('outbox');
const profiles = breachesOf('profiles');
const sealed = breachesOf('sealed');
const serviceAccounts = breachesOf('serviceAccounts');

proveStores('the memory stores', deadlineContract, {
  'an addition of a profile begins its commit in time or not at all': profiles.add.withoutDeadline(),
  'an update of a profile begins its commit in time or not at all': profiles.update.withoutDeadline(),
  'a removal of a profile begins its commit in time or not at all': profiles.remove.withoutDeadline(),
  'a claim of the first admin begins its commit in time or not at all': profiles.claimAdmin.withoutDeadline(),
  'an addition of a collection begins its commit in time or not at all': collections.add.withoutDeadline(),
  'an update of a collection begins its commit in time or not at all': collections.update.withoutDeadline(),
  'a removal of a collection begins its commit in time or not at all': collections.remove.withoutDeadline(),
  'a grant begins its commit in time or not at all': grants.update.withoutDeadline(),
  // Checks the deadline only after the commit.
  'a revocation begins its commit in time or not at all': grants.update.replaceWith(
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
  'an addition of a group begins its commit in time or not at all': groups.add.withoutDeadline(),
  'an update of a group begins its commit in time or not at all': groups.update.withoutDeadline(),
  'a removal of a group begins its commit in time or not at all': groups.remove.withoutDeadline(),
  'a change of members begins its commit in time or not at all': groups.updateMembers.withoutDeadline(),
  'a change of claims begins its commit in time or not at all': groups.syncClaims.withoutDeadline(),
  'an addition of a tier begins its commit in time or not at all': limits.addTier.withoutDeadline(),
  'an update of a tier begins its commit in time or not at all': limits.updateTier.withoutDeadline(),
  'a removal of a tier begins its commit in time or not at all': limits.removeTier.withoutDeadline(),
  'an addition of an override begins its commit in time or not at all': limits.addOverride.withoutDeadline(),
  'an update of an override begins its commit in time or not at all': limits.updateOverride.withoutDeadline(),
  'a removal of an override begins its commit in time or not at all': limits.removeOverride.withoutDeadline(),
  'an addition of a service account begins its commit in time or not at all': serviceAccounts.add.withoutDeadline(),
  'an update of a service account begins its commit in time or not at all': serviceAccounts.update.withoutDeadline(),
  'a removal of a service account begins its commit in time or not at all': serviceAccounts.remove.withoutDeadline(),
  'a resealing begins its commit in time or not at all': outbox.reseal.withoutDeadline(),
  'a reset of lost secrets begins its commit in time or not at all': sealed.reset.withoutDeadline(),
  'a requeue of a dead letter begins its commit in time or not at all': deadLetters.requeue.withoutDeadline(),
  'a requeue of several dead letters begins its commit in time or not at all':
    deadLetters.requeueEach.withoutDeadline(),
  'a requeue of all dead letters begins its commit in time or not at all': deadLetters.requeueAll.withoutDeadline(),
  'a discard of a dead letter begins its commit in time or not at all': deadLetters.discard.withoutDeadline(),
  'an enqueue begins its commit in time or not at all': embeddingJobs.enqueue.withoutDeadline(),
  'a start of a run begins its commit in time or not at all': embeddingJobs.startRun.withoutDeadline(),
  'an appended entry begins its commit in time or not at all': audit.append.mapArguments(([entry]) => [entry, null]),
  // Checks the last entry's deadline for all entries in the batch.
  'of entries appended concurrently, only those whose deadline expires are left out': breakPort('audit', (original) => {
    let last: Parameters<typeof original.append>[1] = null;
    return {
      append: async (entry, deadline) => {
        last = deadline;
        await pause();
        await original.append(entry, last);
      },
    };
  }),
});
