import {
  type Collection,
  type CollectionId,
  type CredentialId,
  type Instant,
  nextChangeAt,
  type SealedSecrets,
  type SealedStore,
} from '@portico/domain';
import { sortInListOrder } from './memory-collection-store.ts';
import { commit, compareCodePoints, copyFrozen, type MemoryDatabase } from './memory-database.ts';
import { expireCall, listSealedArguments } from './memory-pending-call-store.ts';
import { deadLetter } from './memory-outbox.ts';
import { listSealedWebhooks, removeWebhookSecrets } from './memory-webhook-store.ts';

export const createMemorySealedStore = (database: MemoryDatabase): SealedStore => ({
  async read() {
    return sealedSecretsIn(database);
  },

  async ensurePepper(sealedPepper) {
    database.pepper ??= sealedPepper;
    return database.pepper;
  },

  async resealPepper(currentPepper, newPepper) {
    if (database.pepper !== currentPepper) return false;
    database.pepper = newPepper;
    return true;
  },

  async reset(decide) {
    const reset = decide(sealedSecretsIn(database));
    if (!reset) return;
    commit(database, reset, () => {
      for (const id of reset.collections) {
        const collection = database.collections.get(id);
        if (collection) database.collections.set(id, removeCredential(collection, reset.resetAt));
      }
      for (const { collectionId, id } of reset.credentials)
        removeSchemeCredential(database, collectionId, id, reset.resetAt);
      database.catalogEpoch += 1;
      for (const id of reset.mails) deadLetter(database.jobs, id, reset.resetAt, reset.reason);
      for (const id of reset.calls) {
        const call = database.calls.get(id);
        if (call) expireCall(database, call);
      }
      for (const id of reset.webhooks) removeWebhookSecrets(database, id);
      if (reset.pepper === null) return;
      database.pepper = reset.pepper;
      database.keys.clear();
      for (const [id, { account }] of database.serviceAccounts) {
        database.serviceAccounts.set(id, copyFrozen({ account, key: null }));
      }
    });
  },
});

const sealedSecretsIn = (database: MemoryDatabase): SealedSecrets => ({
  ...sealedValuesIn(database),
  calls: listSealedArguments(database),
  webhooks: listSealedWebhooks(database),
});

const sealedValuesIn = ({
  collections,
  credentials,
  subjectCredentials,
  jobs,
  keys,
  serviceAccounts,
  pepper,
}: MemoryDatabase): Omit<SealedSecrets, 'calls' | 'webhooks'> => ({
  collections: sortInListOrder(
    [...collections.values()].filter(
      ({ storedAuthentication: authentication }) => authentication != null && authentication.sealedValue !== null,
    ),
  ),
  credentials: sortInListOrder([...collections.values()]).flatMap(({ id, name }) =>
    [
      ...(credentials.get(id) ?? []).map((credential) => ({ credential, subject: null })),
      ...[...subjectCredentials.values()].filter(({ collectionId }) => collectionId === id),
    ]
      .map(({ credential, subject }) => ({
        id: credential.id,
        collection: { id, name },
        scheme: credential.scheme,
        subject,
        sealed: credential.sealed,
      }))
      .sort((a, b) => compareCodePoints(a.scheme, b.scheme) || compareCodePoints(a.id, b.id)),
  ),
  mails: [...jobs.values()].flatMap(({ job: { id, task }, isDeadLetter }) =>
    'sealed' in task && !isDeadLetter ? [{ id, profileId: task.profileId, sealed: task.sealed }] : [],
  ),
  pepper,
  apiKeys: keys.size,
  accountKeys: [...serviceAccounts.values()].filter(({ key }) => key !== null).length,
});

const removeCredential = (collection: Collection, instant: Instant): Collection =>
  countAsChanged(
    {
      ...collection,
      storedAuthentication: collection.storedAuthentication && {
        ...collection.storedAuthentication,
        sealedValue: null,
        origins: null,
      },
    },
    instant,
  );

const removeSchemeCredential = (
  { collections, credentials, subjectCredentials }: MemoryDatabase,
  id: CollectionId,
  lostId: CredentialId,
  instant: Instant,
): void => {
  const collection = collections.get(id);
  const remainingCredentials = credentials.get(id)?.filter((credential) => credential.id !== lostId) ?? [];
  if (!collection) return;
  subjectCredentials.delete(lostId);
  credentials.set(id, copyFrozen(remainingCredentials));
  const credentialSchemes = remainingCredentials.map((credential) => credential.scheme);
  collections.set(id, countAsChanged({ ...collection, credentialSchemes }, instant));
};

const countAsChanged = (collection: Collection, instant: Instant): Collection =>
  copyFrozen({
    ...collection,
    updatedAt: nextChangeAt(collection.updatedAt, instant),
    revision: collection.revision + 1,
  });
