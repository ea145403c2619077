import { aKey, noEffects, sealedStoreContract } from '@portico/contracts';
import type { SealedSecrets, SecretsReset } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { ensurePepper, read, resealPepper, reset } = breachesOf('sealed');

/** Changes the result of a read. */
const mapSecrets = (alter: (sealed: SealedSecrets, database: MemoryDatabase) => Partial<SealedSecrets>) =>
  read.mapResult((sealed, _args, database) => ({ ...sealed, ...alter(sealed, database) }));

/** Changes a reset's decision. */
const mapReset = (alter: (reset: SecretsReset, sealed: SealedSecrets) => Partial<SecretsReset>) =>
  reset.mapDecision((reset, [sealed]) => reset && { ...reset, ...alter(reset, sealed) });

/** Runs a side effect after a reset. */
const runAfterReset = (by: (database: MemoryDatabase, before: MemoryDatabase) => void) =>
  reset.restoreAfter((database) => {
    const { collections, serviceAccounts } = database;
    const before = { ...database, collections: new Map(collections), serviceAccounts: new Map(serviceAccounts) };
    return () => by(database, before);
  });

const forgettingAll: SecretsReset = { collections: [], mails: [], pepper: 'another', at: 0, reason: '', ...noEffects };

proveStores('the memory sealed store', sealedStoreContract, {
  'before the first start, nothing is sealed': mapSecrets(({ pepper }) => ({ pepper: pepper ?? '' })),
  'a read returns the collections with a credential, in the order of lists': mapSecrets(({ collections }) => ({
    collections: collections.toReversed(),
  })),
  'a read returns the waiting mails with a secret, including leased and postponed ones, and no dead letter': mapSecrets(
    (_sealed, { jobs }) => ({
      mails: [...jobs.values()].flatMap(({ job: { id, task } }) => ('sealed' in task ? [{ ...task, id }] : [])),
    }),
  ),
  'every profile with an API key counts, even if the key is inactive': mapSecrets((_sealed, { keys, profiles }) => ({
    apiKeys: [...keys.keys()].filter((id) => profiles.get(id)?.role === 'client').length,
  })),
  'every service account with a key counts': mapSecrets((_sealed, { serviceAccounts }) => ({
    accountKeys: serviceAccounts.size,
  })),
  'the first pepper is stored and returned to all later calls': ensurePepper.mapResult((_stored, [sealed]) => sealed),
  'of concurrent first peppers, one is stored and returned to all': ensurePepper.replaceWith(
    async ([sealed], _original, database) => {
      if (database.pepper !== null) return database.pepper;
      await pause();
      database.pepper = sealed;
      return sealed;
    },
  ),
  'a resealed pepper replaces the stored one': resealPepper.replaceWith(async () => true),
  'a pepper that has changed in the meantime is not resealed': resealPepper.replaceWith(
    async ([, after], _original, database) => {
      database.pepper = after;
      return true;
    },
  ),
  'a reset decides on the result of a read': reset.mapDecisionInput(([sealed]) => [{ ...sealed, apiKeys: 0 }]),
  'a reset whose decision is null or throws changes nothing': reset.mapArguments(([decide]) => [
    (sealed) => decide(sealed) ?? forgettingAll,
  ]),
  'a collection that loses its credential keeps the rest, and counts as changed': runAfterReset(({ collections }) => {
    for (const [id, head] of collections) collections.set(id, { ...head, storedAuthentication: null });
  }),
  'a collection last changed at the time of the reset gets a later updatedAt': runAfterReset(
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
  'a lost mail is given up with the reason and without its secret; the others are still waiting': mapReset(
    (_reset, { mails }) => ({
      mails: mails.map(({ id }) => id),
    }),
  ),
  'with a new pepper, no profile has an API key, and each keeps its client id': runAfterReset(({ profiles }) => {
    for (const [id, profile] of profiles) profiles.set(id, { ...profile, clientId: null });
  }),
  'with a new pepper, no service account has a key, and each stays': runAfterReset(({ serviceAccounts }, before) => {
    for (const [id, state] of before.serviceAccounts) serviceAccounts.set(id, state);
  }),
  'without a new pepper, the key of every service account stays': runAfterReset(({ serviceAccounts }) => {
    for (const [id, { account }] of serviceAccounts) serviceAccounts.set(id, { account, key: null });
  }),
  'without a new pepper, the stored one and every API key stay': runAfterReset(({ keys }) => {
    for (const id of keys.keys()) keys.set(id, { ...aKey(), previous: null });
  }),
  'a reset writes its effects': reset.withoutEffects(),
});
