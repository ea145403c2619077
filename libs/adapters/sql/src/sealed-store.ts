import {
  type CollectionId,
  type CredentialId,
  type GroupId,
  type Instant,
  nextChangeAt,
  type ProfileId,
  type SealedCredential,
  type SealedMail,
  type SealedSecrets,
  type SealedStore,
} from '@portico/domain';
import { collectionColumns, type CollectionColumns, collectionOf } from './collection-record.ts';
import { loadCollection, touchCatalog } from './collection-store.ts';
import { deleteCredential, listSchemes, subjectIn } from './credential-store.ts';
import { writeEffects } from './effects.ts';
import { createEpochParameters } from './epochs.ts';
import { deadLetter } from './outbox.ts';
import { expireCall, listSealedArguments } from './pending-call-store.ts';
import { createSettingsTable } from './settings-table.ts';
import type { SqlDatabase, Sql } from './sql.ts';
import { buildColumns } from './table.ts';
import { listSealedWebhooks, removeWebhookSecrets } from './webhook-store.ts';

export const createSqlSealedStore = (database: SqlDatabase): SealedStore => ({
  read: () => database.withSnapshot(readSecrets),

  ensurePepper: (sealedPepper) => createSettingsTable(database).putIfAbsent(pepperName, sealedPepper),

  resealPepper: (before, after) =>
    database.transact(async (transaction) => (await transaction.run(resealPepper, [after, pepperName, before])) > 0),

  async reset(decide) {
    await database.transact(async (transaction) => {
      const secrets = await readSecrets(transaction);
      const reset = decide(secrets);
      if (!reset) return;
      const lostCollectionIds = new Set(reset.collections);
      const collections = secrets.collections.filter(({ id }) => lostCollectionIds.has(id));
      await transaction.runEach(
        clearCredential,
        collections.map(({ id, updatedAt }) => [nextChangeAt(updatedAt, reset.resetAt), id]),
      );
      for (const { collectionId, id } of reset.credentials)
        await removeSchemeCredential(transaction, collectionId, id, reset.resetAt);
      await transaction.run(touchCatalog, createEpochParameters());
      await transaction.runEach(
        deadLetter,
        reset.mails.map((id) => [reset.resetAt, reset.reason, id]),
      );
      await transaction.runEach(
        expireCall,
        reset.calls.map((id) => [id]),
      );
      await transaction.runEach(
        removeWebhookSecrets,
        reset.webhooks.map((id) => [id]),
      );
      if (reset.pepper !== null) {
        await transaction.run(putPepper, [reset.pepper, pepperName]);
        await transaction.run(clearKeysOf('profiles'));
        await transaction.run(clearKeysOf('service_accounts'));
      }
      await writeEffects(transaction, reset);
    });
  },
});

const pepperName = 'api-key-pepper';

const readSecrets = async (sql: Sql): Promise<SealedSecrets> => ({
  collections: (await sql.all<CollectionColumns>(selectCollections)).map(collectionOf),
  credentials: (await sql.all<CredentialRow>(selectCredentials)).map((row) => ({
    id: row.id,
    collection: { id: row.collectionId, name: row.name },
    scheme: row.scheme,
    subject: subjectIn(row),
    sealed: row.sealed,
  })),
  mails: await sql.all<SealedMail>(selectMails),
  calls: await listSealedArguments(sql),
  webhooks: await listSealedWebhooks(sql),
  pepper: (await sql.first<{ value: string }>(selectPepper, [pepperName]))?.value ?? null,
  apiKeys: (await sql.first<{ keys: number }>(countKeysOf('profiles')))?.keys ?? 0,
  accountKeys: (await sql.first<{ keys: number }>(countKeysOf('service_accounts')))?.keys ?? 0,
});

interface CredentialRow extends Pick<SealedCredential, 'id' | 'scheme' | 'sealed'> {
  readonly collectionId: CollectionId;
  readonly name: string;
  readonly groupId: GroupId | null;
  readonly profileId: ProfileId | null;
}

const removeSchemeCredential = async (
  sql: Sql,
  id: CollectionId,
  credential: CredentialId,
  resetAt: Instant,
): Promise<void> => {
  const { updatedAt } = await loadCollection(sql, id);
  await sql.run(deleteCredential, [id, credential]);
  const schemes = JSON.stringify(await listSchemes(sql, id));
  await sql.run(updateSchemes, [schemes, nextChangeAt(updatedAt, resetAt), id]);
};

const selectCredentials = `select ${buildColumns('s', ['id', 'collectionId', 'scheme', 'groupId', 'profileId', 'sealed'])}, c.name
  from collection_credentials s join collections c on c.id = s.collection_id
  order by c.name_key, c.id, s.scheme, s.id`;
const updateSchemes = `update collections set credential_schemes = ?, updated_at = ?, revision = revision + 1
  where id = ?`;
const selectCollections = `select ${buildColumns('c', collectionColumns)} from collections c
  where c.stored_sealed_value is not null order by c.name_key, c.id`;
const selectMails = `select ${buildColumns('j', ['id', 'profileId', 'sealed'])} from jobs j
  where j.given_up = false and j.sealed is not null`;
const selectPepper = 'select value from settings where name = ?';
type KeyTable = 'profiles' | 'service_accounts';
const countKeysOf = (table: KeyTable): string => `select count(*) as keys from ${table} where key_hash is not null`;
const resealPepper = 'update settings set value = ? where name = ? and value = ?';
const putPepper = 'update settings set value = ? where name = ?';
const clearCredential = `update collections set stored_sealed_value = null, stored_origins = null, updated_at = ?, revision = revision + 1
  where id = ?`;
const clearKeysOf = (table: KeyTable): string =>
  `update ${table} set key_hash = null, key_tag = null, previous_hash = null, previous_tag = null,
    previous_until = null where key_hash is not null`;
