import {
  type CollectionId,
  type CredentialStore,
  type CredentialSubject,
  type GroupId,
  type NamedSubject,
  PorticoError,
  type ProfileId,
  type StoredCredential,
} from '@portico/domain';
import { originsIn, toCollectionRow, toOriginsColumn, updateCollection } from './collection-record.ts';
import { loadCollection, touchCatalog } from './collection-store.ts';
import { writeEffects } from './effects.ts';
import { CredentialEntity } from './entities/credential-entity.ts';
import { createEpochParameters } from './epochs.ts';
import { groupsOf } from './memberships.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns, columnsOf, insertInto, type Row, write, writeEach } from './table.ts';

export const createSqlCredentialStore = (database: SqlDatabase): CredentialStore => ({
  list: (id) => listCredentials(database.reads, id),

  listSubjects: async (id) =>
    (await database.reads.all<SubjectRow>(selectSubjects, [id])).flatMap((row) => {
      const subject = subjectOf(row);
      return subject ? [{ ...credentialOf(row), subject }] : [];
    }),

  async listUsable(id, profile) {
    if (profile === null) return (await listCredentials(database.reads, id)).map((row) => ({ ...row, subject: null }));
    const rows = await database.reads.all<SubjectRow>(selectUsable, [id, id, profile, profile, profile, id]);
    return rows.map((row) => ({ ...credentialOf(row), subject: subjectOf(row) }));
  },

  update: (id, decide) =>
    database.transact(async (transaction) => {
      const current = await loadCollection(transaction, id);
      const change = decide(current, await listCredentials(transaction, id));
      if (!change) return current;
      await transaction.run(deleteForEveryone, [id]);
      const rows = change.credentials.map((credential) => toRow(id, null, credential));
      await writeEach(transaction, insertCredential, rows);
      const credentialSchemes = await listSchemes(transaction, id);
      const collection = { ...change.collection, id, credentialSchemes };
      await write(transaction, updateCollection, toCollectionRow(collection));
      await transaction.run(touchCatalog, createEpochParameters());
      await writeEffects(transaction, change);
      return collection;
    }),

  updateSubject: (id, scheme, subject, decide) =>
    database.transact(async (transaction) => {
      const collection = await loadCollection(transaction, id);
      const namedSubject = await loadSubject(transaction, subject);
      const { selectOne, countOthers, deleteOne } = subjectStatements[subject.kind];
      const key = [id, scheme, subject.id];
      const row = await transaction.first<CredentialRow>(selectOne, key);
      const otherSubjects = (await transaction.first<{ count: number }>(countOthers, key))?.count ?? 0;
      const change = decide({
        collection,
        subject: namedSubject,
        credential: row ? credentialOf(row) : null,
        otherSubjects,
      });
      if (!change) return;
      await transaction.run(deleteOne, key);
      if (change.credential) await write(transaction, insertCredential, toRow(id, subject, change.credential));
      await writeEffects(transaction, change);
    }),

  bind: (id, decide) =>
    database.transact(async (transaction) => {
      const change = decide(await loadCollection(transaction, id));
      if (!change) return;
      const origins = JSON.stringify(change.origins);
      await transaction.run(bindCredentials, [origins, id]);
      await transaction.run(bindAuthentication, [origins, id]);
      await writeEffects(transaction, change);
    }),

  reseal: (id, before, after, effects) =>
    database.transact(async (transaction) => {
      const isResealed = (await transaction.run(reseal, [after, id, before])) > 0;
      if (isResealed) await writeEffects(transaction, effects);
      return isResealed;
    }, effects.deadline),
});

type CredentialRow = Row<typeof CredentialEntity>;

interface SubjectRow extends CredentialRow {
  readonly groupName: string | null;
  readonly email: string | null;
}

/** Removes one credential as part of another change. The caller updates the collection's `credentialSchemes`. */
export const deleteCredential = 'delete from collection_credentials where collection_id = ? and id = ?';

/** Returns the schemes of the collection's credentials for everyone, in code point order. */
export const listSchemes = async (sql: Sql, id: CollectionId): Promise<readonly string[]> =>
  (await listCredentials(sql, id)).map(({ scheme }) => scheme);

const listCredentials = async (sql: Pick<Sql, 'all'>, id: CollectionId): Promise<readonly StoredCredential[]> =>
  (await sql.all<CredentialRow>(selectForEveryone, [id])).map(credentialOf);

const loadSubject = async (sql: Sql, { kind, id }: CredentialSubject): Promise<NamedSubject> => {
  const row = await sql.first<{ name: string }>(selectNames[kind], [id]);
  if (kind === 'group') {
    if (!row) throw new PorticoError('group_not_found');
    return { kind, id, name: row.name };
  }
  if (!row) throw new PorticoError('user_not_found');
  return { kind, id, email: row.name };
};

const credentialOf = ({
  id,
  scheme,
  kind,
  sealed,
  origins,
  createdAt,
  updatedAt,
}: CredentialRow): StoredCredential => ({
  id,
  scheme,
  kind,
  sealed,
  origins: originsIn(origins),
  createdAt,
  updatedAt,
});

const subjectOf = ({ groupId, groupName, profileId, email }: SubjectRow): NamedSubject | null => {
  if (groupId !== null && groupName !== null) return { kind: 'group', id: groupId, name: groupName };
  return profileId !== null && email !== null ? { kind: 'profile', id: profileId, email } : null;
};

/** Returns the subject in the columns of a row. */
export const subjectIn = ({
  groupId,
  profileId,
}: {
  readonly groupId: GroupId | null;
  readonly profileId: ProfileId | null;
}): CredentialSubject | null =>
  groupId !== null ? { kind: 'group', id: groupId } : profileId !== null ? { kind: 'profile', id: profileId } : null;

const toRow = (
  collectionId: CollectionId,
  subject: CredentialSubject | null,
  { origins, ...credential }: StoredCredential,
) => ({
  ...credential,
  collectionId,
  groupId: subject?.kind === 'group' ? subject.id : null,
  profileId: subject?.kind === 'profile' ? subject.id : null,
  origins: toOriginsColumn(origins),
});

const columnNames = columnsOf(CredentialEntity);
const insertCredential = insertInto(CredentialEntity, columnNames);
const columns = buildColumns('c', columnNames);
const isForEveryone = 'c.group_id is null and c.profile_id is null';
const selectForEveryone = `select ${columns} from collection_credentials c
  where c.collection_id = ? and ${isForEveryone} order by c.scheme`;
const selectSubjects = `select ${columns}, g.name as "groupName", p.email from collection_credentials c
  left join access_groups g on g.id = c.group_id left join profiles p on p.id = c.profile_id
  where c.collection_id = ? and not (${isForEveryone})
  order by c.scheme, case when c.group_id is null then 1 else 0 end, g.name, p.email`;
/** The parameters are the collection, the collection, the profile three times, and the collection. */
const selectUsable = `select ${columns}, null as "groupName", null as email from collection_credentials c
    where c.collection_id = ? and ${isForEveryone}
  union all select ${columns}, g.name, null from collection_credentials c join access_groups g on g.id = c.group_id
    where c.collection_id = ? and c.group_id in (${groupsOf('?')})
  union all select ${columns}, null, p.email from collection_credentials c join profiles p on p.id = c.profile_id
    where c.profile_id = ? and c.collection_id = ?`;
const deleteForEveryone = `delete from collection_credentials
  where collection_id = ? and group_id is null and profile_id is null`;
const selectNames = {
  group: 'select name from access_groups where id = ?',
  profile: 'select email as name from profiles where id = ?',
} as const;

const buildSubjectStatements = (column: string) => ({
  selectOne: `select ${columns} from collection_credentials c
    where c.collection_id = ? and c.scheme = ? and c.${column} = ?`,
  countOthers: `select count(*) as count from collection_credentials c
    where c.collection_id = ? and c.scheme = ? and not (${isForEveryone}) and (c.${column} is null or c.${column} <> ?)`,
  deleteOne: `delete from collection_credentials where collection_id = ? and scheme = ? and ${column} = ?`,
});
/** The parameters of each statement are the collection, the scheme and the subject. */
const subjectStatements = {
  group: buildSubjectStatements('group_id'),
  profile: buildSubjectStatements('profile_id'),
} as const;

const bindCredentials = 'update collection_credentials set origins = ? where collection_id = ?';
const bindAuthentication = 'update collections set stored_origins = ? where id = ? and stored_sealed_value is not null';
const reseal = 'update collection_credentials set sealed = ? where id = ? and sealed = ?';
