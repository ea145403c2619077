import { aKey, noEffects, sealedStoreContract } from '@portico/contracts';
import type { SealedSecrets, SecretsReset } from '@portico/domain';
import { breachesOf, pause } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { keepPepper, read, resealPepper, reset } = breachesOf('sealed');

/** A read with parts changed. */
const reading = (alter: (sealed: SealedSecrets, database: MemoryDatabase) => Partial<SealedSecrets>) =>
  read.returning((sealed, _asked, database) => ({ ...sealed, ...alter(sealed, database) }));

/** A reset whose decision is changed. */
const deciding = (alter: (reset: SecretsReset, sealed: SealedSecrets) => Partial<SecretsReset>) =>
  reset.deciding((reset, [sealed]) => reset && { ...reset, ...alter(reset, sealed) });

/** A reset with a side effect afterwards. */
const followed = (by: (database: MemoryDatabase, before: MemoryDatabase) => void) =>
  reset.leaving((database) => {
    const { collections, serviceAccounts } = database;
    const before = { ...database, collections: new Map(collections), serviceAccounts: new Map(serviceAccounts) };
    return () => by(database, before);
  });

const forgettingAll: SecretsReset = { collections: [], mails: [], pepper: 'another', at: 0, reason: '', ...noEffects };

proveStores('the memory sealed store', sealedStoreContract, {
  'before the first start, nothing is sealed': reading(({ pepper }) => ({ pepper: pepper ?? '' })),
  'a read returns the collections with a credential, in the order of lists': reading(({ collections }) => ({
    collections: collections.toReversed(),
  })),
  'a read returns the waiting mails with a secret, leased and postponed ones included, and no dead letter': reading(
    (_sealed, { jobs }) => ({
      mails: [...jobs.values()].flatMap(({ job: { id, task } }) => ('sealed' in task ? [{ ...task, id }] : [])),
    }),
  ),
  'every profile with an API key counts, including a key that is asleep': reading((_sealed, { keys, profiles }) => ({
    apiKeys: [...keys.keys()].filter((id) => profiles.get(id)?.role === 'client').length,
  })),
  'every service account with a key counts': reading((_sealed, { serviceAccounts }) => ({
    accountKeys: serviceAccounts.size,
  })),
  'the first pepper is kept and returned to all later calls': keepPepper.returning((_kept, [sealed]) => sealed),
  'of concurrent first peppers, one is kept and returned to all': keepPepper.instead(
    async ([sealed], _right, database) => {
      if (database.pepper !== null) return database.pepper;
      await pause();
      database.pepper = sealed;
      return sealed;
    },
  ),
  'a resealed pepper replaces the stored one': resealPepper.instead(async () => true),
  'a pepper that has changed meanwhile is not resealed': resealPepper.instead(async ([, after], _right, database) => {
    database.pepper = after;
    return true;
  }),
  'a reset decides on what a read returns': reset.misleading(([sealed]) => [{ ...sealed, apiKeys: 0 }]),
  'a reset whose decision is null or throws changes nothing': reset.asking(([decide]) => [
    (sealed) => decide(sealed) ?? forgettingAll,
  ]),
  'a collection that loses its credential keeps the rest, and counts as changed': followed(({ collections }) => {
    for (const [id, head] of collections) collections.set(id, { ...head, storedAuthentication: null });
  }),
  'a collection last changed at the time of the reset gets a later updatedAt': followed(
    ({ collections }, { collections: before }) => {
      for (const [id, head] of collections) collections.set(id, { ...head, updatedAt: before.get(id)?.updatedAt ?? 0 });
    },
  ),
  'a collection that is not listed keeps its credential': deciding((_reset, { collections }) => ({
    collections: collections.map(({ id }) => id),
  })),
  'a reset invalidates cached lists': followed((database, before) => {
    database.catalogEpoch = before.catalogEpoch;
  }),
  'a lost mail is given up with the reason and without its secret; the others wait': deciding((_reset, { mails }) => ({
    mails: mails.map(({ id }) => id),
  })),
  'with a new pepper, no profile has an API key, and each keeps its client id': followed(({ profiles }) => {
    for (const [id, profile] of profiles) profiles.set(id, { ...profile, clientId: null });
  }),
  'with a new pepper, no service account has a key, and each stays': followed(({ serviceAccounts }, before) => {
    for (const [id, state] of before.serviceAccounts) serviceAccounts.set(id, state);
  }),
  'without a new pepper, the key of every service account stays': followed(({ serviceAccounts }) => {
    for (const [id, { account }] of serviceAccounts) serviceAccounts.set(id, { account, key: null });
  }),
  'without a new pepper, the stored one and every API key stay': followed(({ keys }) => {
    for (const id of keys.keys()) keys.set(id, { ...aKey(), previous: null });
  }),
  'a reset writes its effects': reset.withoutEffects(),
});
