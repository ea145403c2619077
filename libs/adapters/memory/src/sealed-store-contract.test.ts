import { aKey, noEffects, sealedStoreContract } from '@portico/contracts';
import type { SealedSecrets, SecretsReset } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { ensurePepper, read, resealPepper, reset } = breachesOf('sealed');

/** Changes the result of a read. */
const mapSecrets = (alter: (secrets: SealedSecrets, database: MemoryDatabase) => Partial<SealedSecrets>) =>
  read.mapResult((secrets, _args, database) => ({ ...secrets, ...alter(secrets, database) }));

/** Changes a reset's decision. */
const mapReset = (alter: (reset: SecretsReset, secrets: SealedSecrets) => Partial<SecretsReset>) =>
  reset.mapDecision((reset, [secrets]) => reset && { ...reset, ...alter(reset, secrets) });

/** Runs a side effect after a reset. */
const runAfterReset = (sideEffect: (database: MemoryDatabase, before: MemoryDatabase) => void) =>
  reset.restoreAfter((database) => {
    const { collections, serviceAccounts } = database;
    const before = { ...database, collections: new Map(collections), serviceAccounts: new Map(serviceAccounts) };
    return () => sideEffect(database, before);
  });

const fullReset: SecretsReset = {
  collections: [],
  credentials: [],
  mails: [],
  calls: [],
  webhooks: [],
  pepper: 'another',
  resetAt: 0,
  reason: '',
  ...noEffects,
};

proveStores('the memory sealed store', sealedStoreContract, {
  'a new database contains no sealed secrets': mapSecrets(({ pepper }) => ({ pepper: pepper ?? '' })),
  'a read returns the collections with a credential, in list order': mapSecrets(({ collections }) => ({
    collections: collections.toReversed(),
  })),
  'a read returns the credentials for security schemes, in the order of lists and then by scheme': mapSecrets(
    ({ credentials }) => ({ credentials: credentials.toReversed() }),
  ),
  'a reset removes only the listed credentials for security schemes, and the collection counts as changed': mapReset(
    (_reset, { credentials }) => ({
      credentials: credentials.map(({ collection, id }) => ({ collectionId: collection.id, id })),
    }),
  ),
  'a read returns the calls that have arguments': mapSecrets((_secrets, { calls }) => ({
    calls: [...calls.values()].map(({ id, sealed }) => ({ id, sealed: sealed ?? '' })),
  })),
  'a reset expires only the listed calls, which lose their arguments': mapReset((_reset, { calls }) => ({
    calls: calls.map(({ id }) => id),
  })),
  'a read returns the webhooks that have a secret': mapSecrets((_secrets, { webhooks }) => ({
    webhooks: [...webhooks.values()].map(({ id, sealed }) => ({ id, sealed: sealed ?? '' })),
  })),
  'a reset deactivates only the listed webhooks, which lose their secrets': mapReset((_reset, { webhooks }) => ({
    webhooks: webhooks.map(({ id }) => id),
  })),
  'a read returns the waiting emails with a secret, including leased and postponed ones, but no dead letters':
    mapSecrets((_secrets, { jobs }) => ({
      mails: [...jobs.values()].flatMap(({ job: { id, task } }) => ('sealed' in task ? [{ ...task, id }] : [])),
    })),
  'every profile with an API key is counted, even if the key is inactive': mapSecrets(
    (_secrets, { keys, profiles }) => ({
      apiKeys: [...keys.keys()].filter((id) => profiles.get(id)?.role === 'client').length,
    }),
  ),
  'every service account with a key is counted': mapSecrets((_secrets, { serviceAccounts }) => ({
    accountKeys: serviceAccounts.size,
  })),
  'the first pepper is stored and returned to all later calls': ensurePepper.mapResult(
    (_storedPepper, [sealedPepper]) => sealedPepper,
  ),
  'when first peppers are stored concurrently, only one is stored, and it is returned to all callers':
    ensurePepper.replaceWith(async ([sealedPepper], _original, database) => {
      if (database.pepper !== null) return database.pepper;
      await pause();
      database.pepper = sealedPepper;
      return sealedPepper;
    }),
  'a resealed pepper replaces the stored one': resealPepper.replaceWith(async () => true),
  'a pepper that has changed in the meantime is not resealed': resealPepper.replaceWith(
    async ([, after], _original, database) => {
      database.pepper = after;
      return true;
    },
  ),
  'a reset bases its decision on the result of a read': reset.mapDecisionInput(([secrets]) => [
    { ...secrets, apiKeys: 0 },
  ]),
  'a reset whose decision returns null or throws changes nothing': reset.mapArguments(([decide]) => [
    (secrets) => decide(secrets) ?? fullReset,
  ]),
  'a collection that loses its credential keeps everything else, and counts as changed': runAfterReset(
    ({ collections }) => {
      for (const [id, head] of collections) collections.set(id, { ...head, storedAuthentication: null });
    },
  ),
  'a collection that was last changed at the time of the reset gets a later updatedAt': runAfterReset(
    ({ collections }, { collections: before }) => {
      for (const [id, head] of collections) collections.set(id, { ...head, updatedAt: before.get(id)?.updatedAt ?? 0 });
    },
  ),
  'a collection that is not listed keeps its credential': mapReset((_reset, { collections }) => ({
    collections: collections.map(({ id }) => id),
  })),
  'a reset invalidates cached lists': runAfterReset((database, before) => {
    database.catalogEpoch = before.catalogEpoch;
  }),
  'a lost mail is given up with the reason and without its secret, and the others are still waiting': mapReset(
    (_reset, { mails }) => ({
      mails: mails.map(({ id }) => id),
    }),
  ),
  'a new pepper removes the API key of every profile, but not its client id': runAfterReset(({ profiles }) => {
    for (const [id, profile] of profiles) profiles.set(id, { ...profile, clientId: null });
  }),
  'a new pepper removes the key of every service account, but not the account': runAfterReset(
    ({ serviceAccounts }, before) => {
      for (const [id, state] of before.serviceAccounts) serviceAccounts.set(id, state);
    },
  ),
  'without a new pepper, every service account keeps its key': runAfterReset(({ serviceAccounts }) => {
    for (const [id, { account }] of serviceAccounts) serviceAccounts.set(id, { account, key: null });
  }),
  'without a new pepper, the stored pepper and every API key are kept': runAfterReset(({ keys }) => {
    for (const id of keys.keys()) keys.set(id, { ...aKey(), previous: null });
  }),
  'a reset writes its effects': reset.dropEffects(),
});
