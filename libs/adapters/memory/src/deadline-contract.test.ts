import { deadlineContract, type Sabotages, type Stores } from '@portico/contracts';
import type { Effects } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, pause, type Breach } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryStores } from './memory-stores.ts';

type Call = (...parameters: readonly unknown[]) => unknown;

/** Strips the deadline from effects, or from the effects that a decision returns. */
const withoutDeadline = (parameter: unknown): unknown => {
  if (typeof parameter === 'function')
    return (...state: readonly unknown[]) => withoutDeadline((parameter as Call)(...state));
  return isEffects(parameter) ? { ...parameter, deadline: null } : parameter;
};

const isEffects = (value: unknown): value is Effects => typeof value === 'object' && value !== null && 'jobs' in value;

/** A change that ignores its deadline and commits late. */
const heedless = <Port extends keyof Stores>(port: Port, method: keyof Stores[Port]): Breach =>
  breaking(port, (right) => {
    const change = right[method] as Call;
    const broken = { [method]: (...parameters: readonly unknown[]) => change(...parameters.map(withoutDeadline)) };
    return broken as Partial<Stores[Port]>;
  });

const sabotages: Sabotages<typeof deadlineContract, Stores> = {
  'an addition of a profile begins its commit in time or not at all': heedless('profiles', 'add'),
  'an update of a profile begins its commit in time or not at all': heedless('profiles', 'update'),
  'a removal of a profile begins its commit in time or not at all': heedless('profiles', 'remove'),
  'a claim of the first admin begins its commit in time or not at all': heedless('profiles', 'claimAdmin'),
  'an addition of a collection begins its commit in time or not at all': heedless('collections', 'add'),
  'an update of a collection begins its commit in time or not at all': heedless('collections', 'update'),
  'a removal of a collection begins its commit in time or not at all': heedless('collections', 'remove'),
  'a grant begins its commit in time or not at all': heedless('grants', 'update'),
  // Checks the deadline only after the commit.
  'a revocation begins its commit in time or not at all': breaking('grants', (right) => ({
    update: async (pairs, decide) => {
      let deadline: Effects['deadline'] = null;
      await right.update(pairs, (states) => {
        const change = decide(states);
        deadline = change.deadline;
        return { ...change, deadline: null };
      });
      (deadline as Effects['deadline'])?.beginCommit();
    },
  })),
  'an addition of a group begins its commit in time or not at all': heedless('groups', 'add'),
  'an update of a group begins its commit in time or not at all': heedless('groups', 'update'),
  'a removal of a group begins its commit in time or not at all': heedless('groups', 'remove'),
  'a change of members begins its commit in time or not at all': heedless('groups', 'updateMembers'),
  'what a token says begins its commit in time or not at all': heedless('groups', 'followClaims'),
  'an addition of a tier begins its commit in time or not at all': heedless('limits', 'addTier'),
  'an update of a tier begins its commit in time or not at all': heedless('limits', 'updateTier'),
  'a removal of a tier begins its commit in time or not at all': heedless('limits', 'removeTier'),
  'an addition of an override begins its commit in time or not at all': heedless('limits', 'addOverride'),
  'an update of an override begins its commit in time or not at all': heedless('limits', 'updateOverride'),
  'a removal of an override begins its commit in time or not at all': heedless('limits', 'removeOverride'),
  'an addition of a service account begins its commit in time or not at all': heedless('serviceAccounts', 'add'),
  'an update of a service account begins its commit in time or not at all': heedless('serviceAccounts', 'update'),
  'a removal of a service account begins its commit in time or not at all': heedless('serviceAccounts', 'remove'),
  'a resealing begins its commit in time or not at all': heedless('outbox', 'reseal'),
  'a reset of lost secrets begins its commit in time or not at all': heedless('sealed', 'reset'),
  'a requeue of a dead letter begins its commit in time or not at all': heedless('deadLetters', 'requeue'),
  'a requeue of several dead letters begins its commit in time or not at all': heedless('deadLetters', 'requeueEach'),
  'a requeue of all dead letters begins its commit in time or not at all': heedless('deadLetters', 'requeueAll'),
  'a discard of a dead letter begins its commit in time or not at all': heedless('deadLetters', 'discard'),
  'an enqueue begins its commit in time or not at all': heedless('embeddingJobs', 'enqueue'),
  'a start of a run begins its commit in time or not at all': heedless('embeddingJobs', 'startRun'),
  'an appended entry begins its commit in time or not at all': breaking('audit', (right) => ({
    append: (entry) => right.append(entry, null),
  })),
  // Judges all entries of the group by the deadline of the last one.
  'of entries appended at once, only those that expire are left out': breaking('audit', (right) => {
    let last: Parameters<typeof right.append>[1] = null;
    return {
      append: async (entry, deadline) => {
        last = deadline;
        await pause();
        await right.append(entry, last);
      },
    };
  }),
};

describe('the memory stores', () => {
  proveContract(deadlineContract, sabotages, createMemoryStores);
});
