import { aCredential, subjectCredentialsContract } from '@portico/contracts';
import type { GroupId, ProfileId, SubjectState } from '@portico/domain';
import { breachesOf, pause, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import type { MemoryDatabase } from './memory-database.ts';

const { bind, listSubjects, listUsable, reseal, update, updateSubject } = breachesOf('credentials');
const collections = breachesOf('collections');
const groups = breachesOf('groups');
const profiles = breachesOf('profiles');

/** Changes the state that a decision is based on. */
const mapState = (alter: (state: SubjectState) => Partial<SubjectState>) =>
  updateSubject.mapDecisionInput(([state]) => [{ ...state, ...alter(state) }]);

/** Gives the credentials of a removed subject to another one of its kind. */
const passOn = ({ subjectCredentials }: MemoryDatabase, removed: GroupId | ProfileId) => {
  const owned = [...subjectCredentials].find(([, { subject }]) => subject.id === removed);
  const heir = [...subjectCredentials.values()].find(
    ({ subject }) => subject.kind === owned?.[1].subject.kind && subject.id !== removed,
  );
  return () => owned && heir && subjectCredentials.set(owned[0], { ...owned[1], subject: heir.subject });
};

proveStores('the memory credential store for subjects', subjectCredentialsContract, {
  "a subject's credential is returned exactly as it was stored, with the name of the subject": listSubjects.mapResult(
    (credentials) => credentials.map((credential) => ({ ...credential, origins: credential.origins ?? [] })),
  ),
  'they are sorted by scheme, groups first, and then by name or email, in code point order': listSubjects.mapResult(
    (credentials) => credentials.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  ),
  "a missing collection and one without subjects' credentials have none": listSubjects.replaceWith(
    async (_args, original, database) =>
      (await Promise.all([...database.collections.keys()].map((id) => original.listSubjects(id)))).flat(),
  ),
  "a change of a subject's credential bases its decision on the current state": mapState(({ otherSubjects }) => ({
    otherSubjects: otherSubjects + 1,
  })),
  'a new credential replaces only the one of the same collection, scheme and subject; null removes only that one':
    updateSubject.runAfter(({ subjectCredentials }, [id, , subject]) => {
      const credentials = [...subjectCredentials].filter(
        ([, owned]) => owned.collectionId === id && owned.subject.id === subject.id,
      );
      for (const [key] of credentials.slice(0, -1)) subjectCredentials.delete(key);
    }),
  "a change of a subject's credential changes nothing else in the collection": updateSubject.runAfter(
    ({ collections }, [id]) => {
      const collection = collections.get(id);
      if (collection) collections.set(id, { ...collection, revision: collection.revision + 1 });
    },
  ),
  "replacing all credentials for everyone keeps the subjects' ones": update.runAfter(({ subjectCredentials }) =>
    subjectCredentials.clear(),
  ),
  "a change of a subject's credential writes its effects; if its decision returns null or throws, nothing is written":
    updateSubject.dropEffects(),
  'a change for a missing collection, group or profile throws before the decision is called': updateSubject.replaceWith(
    async ([id, scheme, subject, decide], original, { profiles }) => {
      const [profile] = profiles.keys();
      const fallback = subject.kind === 'profile' && profile ? { kind: subject.kind, id: profile } : subject;
      return original.updateSubject(id, scheme, fallback, decide);
    },
  ),
  'concurrent changes of different subjects each see the previous change': updateSubject.replaceWith(
    async ([id, scheme, subject, decide], original) => {
      let capturedState: SubjectState | undefined;
      await original.updateSubject(id, scheme, subject, (state) => {
        capturedState = state;
        return null;
      });
      await pause();
      return original.updateSubject(id, scheme, subject, (state) => decide(capturedState ?? state));
    },
  ),
  'a credential is removed with its group': groups.remove.restoreAfter((database, [id]) => passOn(database, id)),
  'a credential is removed with its profile': profiles.remove.restoreAfter((database, [id]) => passOn(database, id)),
  'a credential is removed with its collection': collections.remove.restoreAfter((database) =>
    saveEntries(database.subjectCredentials),
  ),
  "a profile may use the credentials for everyone, for its groups and its own, and no other's": listUsable.replaceWith(
    async ([id], original) => [
      ...(await original.list(id)).map((credential) => ({ ...credential, subject: null })),
      ...(await original.listSubjects(id)),
    ],
  ),
  "a membership that ends takes the group's credential with it at once": listUsable.cacheResults(
    ([id, profile]) => `${id} ${profile}`,
  ),
  'all credentials of a collection are bound, and no dates or other collections change': bind.runAfter(
    ({ credentials }, _args) => {
      for (const [id, list] of credentials)
        credentials.set(
          id,
          list.map((credential) => ({ ...credential, origins: ['https://new.example.com'] })),
        );
    },
  ),
  'an `authentication` without a credential is not bound': bind.runAfter(({ collections }) => {
    for (const [id, collection] of collections)
      collections.set(id, {
        ...collection,
        storedAuthentication: collection.storedAuthentication && { ...collection.storedAuthentication, origins: [] },
      });
  }),
  'a binding bases its decision on the current collection, and writes its effects; null or an error writes nothing':
    bind.dropEffects(),
  'a resealed text replaces the stored one, and nothing else changes': reseal.runAfter(
    ({ credentials }, [, , after]) => {
      for (const [id, list] of credentials)
        credentials.set(
          id,
          list.map((credential) => ({ ...credential, sealed: after })),
        );
    },
  ),
  'a text that changed in the meantime is not resealed, and no effects are written': reseal.replaceWith(
    async ([id, , after, effects], original, { credentials }) => {
      const current = [...credentials.values()].flat().find((credential) => credential.id === id);
      return original.reseal(id, current?.sealed ?? aCredential('a').sealed, after, effects);
    },
  ),
});
