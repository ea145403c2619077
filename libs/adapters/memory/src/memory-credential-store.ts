import {
  type CollectionId,
  type CredentialStore,
  type CredentialSubject,
  type NamedSubject,
  PorticoError,
  type StoredCredential,
  type SubjectCredential,
} from '@portico/domain';
import { requireCollection } from './memory-collection-store.ts';
import { commit, compareCodePoints, copyFrozen, type MemoryDatabase } from './memory-database.ts';
import { groupsOf } from './memory-memberships.ts';

export const createMemoryCredentialStore = (database: MemoryDatabase): CredentialStore => ({
  ...readsOf(database),
  ...changesOf(database),
});

const readsOf = (database: MemoryDatabase): Pick<CredentialStore, 'list' | 'listSubjects' | 'listUsable'> => ({
  list: async (id) => database.credentials.get(id) ?? [],

  listSubjects: async (id) => subjectCredentialsIn(database, id),

  async listUsable(id, profile) {
    const forEveryone = (database.credentials.get(id) ?? []).map((credential) => ({ ...credential, subject: null }));
    if (profile === null) return forEveryone;
    const subjectIds: readonly string[] = [profile, ...groupsOf(database, profile).map((group) => group.id)];
    return [
      ...forEveryone,
      ...subjectCredentialsIn(database, id).filter(({ subject }) => subjectIds.includes(subject.id)),
    ];
  },
});

type Change = 'update' | 'updateSubject' | 'bind' | 'reseal';

const changesOf = (database: MemoryDatabase): Pick<CredentialStore, Change> => ({
  async update(id, decide) {
    const current = requireCollection(database, id);
    const change = decide(current, database.credentials.get(id) ?? []);
    if (!change) return current;
    const credentials = copyFrozen(sortByScheme(change.credentials));
    const collection = copyFrozen({ ...change.collection, credentialSchemes: credentials.map(({ scheme }) => scheme) });
    commit(database, change, () => {
      database.collections.set(id, collection);
      database.credentials.set(id, credentials);
      database.catalogEpoch += 1;
    });
    return collection;
  },

  async updateSubject(id, scheme, subject, decide) {
    const collection = requireCollection(database, id);
    const ofScheme = subjectCredentialsIn(database, id).filter((credential) => credential.scheme === scheme);
    const namedSubject = requireSubject(database, subject);
    const current = [...database.subjectCredentials.values()].find(
      ({ collectionId, credential, subject: owner }) =>
        collectionId === id && credential.scheme === scheme && owner.id === subject.id,
    );
    const change = decide({
      collection,
      subject: namedSubject,
      credential: current?.credential ?? null,
      otherSubjects: ofScheme.length - (current ? 1 : 0),
    });
    if (!change) return;
    const credential = copyFrozen(change.credential);
    commit(database, change, () => {
      if (current) database.subjectCredentials.delete(current.credential.id);
      if (credential)
        database.subjectCredentials.set(credential.id, copyFrozen({ collectionId: id, subject, credential }));
    });
  },

  async bind(id, decide) {
    const change = decide(requireCollection(database, id));
    if (change) commit(database, change, () => bindAll(database, id, copyFrozen(change.origins)));
  },

  async reseal(id, before, after, effects) {
    const credentials = [...database.credentials.values()].flat();
    const owned = database.subjectCredentials.get(id);
    const current = owned?.credential ?? credentials.find((credential) => credential.id === id);
    if (current?.sealed !== before) return false;
    const resealed = { ...current, sealed: after };
    commit(database, effects, () => {
      if (owned) database.subjectCredentials.set(id, copyFrozen({ ...owned, credential: resealed }));
      for (const [collection, list] of database.credentials)
        database.credentials.set(
          collection,
          copyFrozen(list.map((credential) => (credential.id === id ? resealed : credential))),
        );
    });
    return true;
  },
});

const bindAll = (database: MemoryDatabase, id: CollectionId, origins: readonly string[]): void => {
  const { collections, credentials, subjectCredentials } = database;
  const bind = <Bound extends object>(value: Bound) => ({ ...value, origins });
  credentials.set(id, copyFrozen((credentials.get(id) ?? []).map(bind)));
  for (const [key, owned] of subjectCredentials)
    if (owned.collectionId === id)
      subjectCredentials.set(key, copyFrozen({ ...owned, credential: bind(owned.credential) }));
  const { storedAuthentication: authentication, ...collection } = requireCollection(database, id);
  if (authentication && authentication.sealedValue !== null)
    collections.set(id, copyFrozen({ ...collection, storedAuthentication: bind(authentication) }));
};

const subjectCredentialsIn = (database: MemoryDatabase, id: CollectionId): readonly SubjectCredential[] =>
  [...database.subjectCredentials.values()]
    .filter(({ collectionId }) => collectionId === id)
    .map(({ subject, credential }) => ({ ...credential, subject: requireSubject(database, subject) }))
    .sort(
      (a, b) =>
        compareCodePoints(a.scheme, b.scheme) ||
        compareCodePoints(a.subject.kind, b.subject.kind) ||
        compareCodePoints(nameOf(a.subject), nameOf(b.subject)),
    );

const nameOf = (subject: NamedSubject): string => (subject.kind === 'group' ? subject.name : subject.email);

const requireSubject = ({ groups, profiles }: MemoryDatabase, subject: CredentialSubject): NamedSubject => {
  if (subject.kind === 'group') {
    const group = groups.get(subject.id);
    if (!group) throw new PorticoError('group_not_found');
    return { ...subject, name: group.name };
  }
  const profile = profiles.get(subject.id);
  if (!profile) throw new PorticoError('user_not_found');
  return { ...subject, email: profile.email };
};

const sortByScheme = (credentials: readonly StoredCredential[]): readonly StoredCredential[] =>
  credentials.toSorted((a, b) => compareCodePoints(a.scheme, b.scheme));
