import { aProfile, noEffects, profileStoreContract } from '@portico/contracts';
import { PorticoError, type Profile, type ProfileState } from '@portico/domain';
import { breachesOf, pause, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { commit, copyFrozen, type MemoryDatabase } from './memory-database.ts';

const { add, listAdmins, claimAdmin, find, findByEmail, list, readPending, remove, update } = breachesOf('profiles');

const keepState = ({ profile, key }: ProfileState) => ({ profile, key, ...noEffects });

const adminsIn = ({ profiles }: MemoryDatabase) => [...profiles.values()].filter(({ role }) => role === 'admin');

const stateIn = (database: MemoryDatabase, id: ReturnType<typeof aProfile>['id']): ProfileState => {
  const profile = database.profiles.get(id);
  if (!profile) throw new PorticoError('user_not_found');
  return { profile, key: database.keys.get(id) ?? null, admins: adminsIn(database) };
};

/** An update that does not check the tier. */
const uncheckedTierUpdate = update.replaceWith(async ([id, decide], _original, database) => {
  const change = decide(stateIn(database, id));
  database.profiles.set(id, copyFrozen(change.profile));
  return change.profile;
});

/** An addition that checks first and writes one tick later. */
const staleAddition = add.replaceWith(async ([profile], original, { profiles }) => {
  const list = await original.list();
  if (list.some(({ email }) => email === profile.email)) throw new PorticoError('email_taken');
  if (list.some(({ uid }) => uid === profile.uid)) throw new PorticoError('identity_taken');
  await pause();
  profiles.set(profile.id, profile);
});

proveStores('the memory profile store', profileStoreContract, {
  'a profile is returned exactly as it was added': find.mapResult(
    (profile) => profile && { ...profile, companyName: profile.companyName ?? '' },
  ),
  'adding a profile writes its effects': add.dropEffects(),
  'an email that is taken is rejected with its own error, and nothing is written': add.writeEntryOnFailure(),
  'a uid that is taken is rejected with its own error, and nothing is written': add.replaceWith(
    ([profile, effects], original, database) => {
      commit(database, effects, () => undefined);
      return original.add(profile, noEffects);
    },
  ),
  'if both email and uid are taken, the email is rejected': add.replaceWith(async ([profile, effects], original) => {
    if ((await original.list()).some(({ uid }) => uid === profile.uid)) throw new PorticoError('identity_taken');
    return original.add(profile, effects);
  }),
  'when the same email is added concurrently, only one call succeeds': staleAddition,
  'when the same uid is added concurrently, only one call succeeds': staleAddition,
  'looking up an unknown id returns no profile': find.replaceWith(
    async ([id], original) => (await original.find(id)) ?? (await original.list())[0] ?? null,
  ),
  'a profile is found by every form of its mailbox': findByEmail.replaceWith(
    async ([email], original) => (await original.list()).find((profile) => profile.email === email) ?? null,
  ),
  'looking up an unknown email returns nothing': findByEmail.replaceWith(
    async ([email], original) => (await original.list()).find((profile) => profile.email.includes(email)) ?? null,
  ),
  'profiles are listed oldest first': list.replaceWith(async (_args, _original, { profiles }) => [
    ...profiles.values(),
  ]),
  'profiles created at the same instant are ordered by id': list.replaceWith(async (_args, _original, { profiles }) =>
    [...profiles.values()].sort((a, b) => a.createdAt - b.createdAt),
  ),
  'only admins are listed as admins, oldest first, then by id': listAdmins.replaceWith(
    async (_args, _original, database) => adminsIn(database),
  ),
  'pending profiles are counted, and listed newest first up to the limit': readPending.mapResult(({ newest }) => ({
    total: newest.length,
    newest,
  })),
  'an update bases its decision on the profile, its key and the admins': update.mapDecisionInput(([state]) => [
    { ...state, admins: state.admins.slice(0, 1) },
  ]),
  'an update stores the profile and its key, and returns the stored profile': update.replaceWith(
    async ([id, decide], original) => {
      const before = await original.find(id);
      const after = await original.update(id, decide);
      return before ?? after;
    },
  ),
  'adding and updating a profile store when it was suspended': update.mapDecision((change, [state]) => ({
    ...change,
    profile: { ...change.profile, suspendedAt: state.profile.suspendedAt },
  })),
  'the expiry of a key is stored': update.mapDecision((change) => ({
    ...change,
    key: change.key && { ...change.key, expiresAt: null },
  })),
  'an update whose key is null removes the key': update.mapDecision((change, [state]) => ({
    ...change,
    key: change.key ?? state.key,
  })),
  'an update writes its effects': update.dropEffects(),
  'an update rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'updating a missing profile throws before the decision is called': update.replaceWith(
    async ([id, decide], original) => {
      const [otherProfile] = await original.list();
      return original.update((await original.find(id)) ? id : (otherProfile?.id ?? id), decide);
    },
  ),
  'concurrent updates of the same profile each see the previous update': update.applyStaleDecision(),
  'when all admins are demoted concurrently, only one call is rejected': update.applyStaleDecision(),
  'an update cannot give a profile the email or the uid of a different profile': update.replaceWith(
    async ([id, decide], original, database) => {
      const change = decide(stateIn(database, id));
      database.profiles.set(id, copyFrozen(change.profile));
      return original.update(id, () => change);
    },
  ),
  'an update cannot give a profile a tier that does not exist': uncheckedTierUpdate,
  'a tier that is removed while it is being assigned is not kept by any profile': uncheckedTierUpdate,
  'no read returns a removed profile': remove.restoreAfter(({ profiles }, [id]) =>
    saveEntries(profiles, (key) => key === id),
  ),
  'removing a profile removes only its own grants': remove.restoreAfter(({ grants }, [id]) =>
    saveEntries(grants, (key) => key === id),
  ),
  'removing a profile removes only its own key': remove.restoreAfter(({ keys }, [id]) =>
    saveEntries(keys, (key) => key === id),
  ),
  'removing a profile removes only its own overrides': remove.restoreAfter(({ overrides }, [id]) =>
    saveEntries(overrides, (_key, { profile, override }) => profile === id && !override.isActive),
  ),
  'removing a profile removes only the jobs of unsent emails to it': remove.restoreAfter(({ jobs }) =>
    saveEntries(jobs, (_id, { job }) => job.task.kind === 'mail.rejection'),
  ),
  'removing a profile keeps the collections that it created and its audit entries': remove.runAfter(
    (database, [id]) => {
      database.entries = database.entries.filter(({ actorId }) => actorId !== id);
    },
  ),
  'a removal bases its decision on the profile, its key and all admins, including the profile itself':
    remove.mapDecisionInput(([state], [id]) => [{ ...state, admins: state.admins.filter((admin) => admin.id !== id) }]),
  'a removal writes its effects': remove.dropEffects(),
  'a removal rethrows an error from the decision and changes nothing': remove.runBefore(({ jobs }) => jobs.clear()),
  'removing a missing profile throws before the decision is called': remove.ignoreErrors(),
  'when all admins are removed concurrently, only one call is rejected': remove.applyStaleDecision(),
  'the email and the uid of a removed profile can be used again': remove.restoreAfter(({ profiles }, [id]) => {
    const profile = profiles.get(id);
    const newProfile = aProfile();
    return () => profile && profiles.set(newProfile.id, { ...newProfile, createdAt: 0, uid: `${profile.uid} (gone)` });
  }),
  'a claim matches by uid rather than by email': claimAdmin.replaceWith(async ([identity, decide], original) => {
    const match = await original.findByEmail(identity.email);
    return original.claimAdmin(identity, (state) => decide({ ...state, match: match ?? state.match }));
  }),
  'a claim matches by email if no profile has the uid': claimAdmin.mapArguments(([identity, decide]) => [
    { ...identity, email: 'nobody' },
    decide,
  ]),
  'a claim sees the admins, and null as the match if no profile matches': claimAdmin.mapDecisionInput(([state]) => [
    { ...state, admins: state.admins.slice(0, 1) },
  ]),
  'a claim adds the profile from the decision, writes its effects and returns the profile': claimAdmin.dropEffects(),
  'a claim replaces the match with the profile from the decision, and keeps its key': claimAdmin.runAfter(
    ({ keys }, _args, admin) => admin && keys.delete(admin.id),
  ),
  'a claim whose decision returns null changes nothing': claimAdmin.replaceWith(
    async ([identity, decide], original) => {
      const result = await original.claimAdmin(identity, decide);
      const profile = await original.findByEmail(identity.email);
      if (profile)
        await original.update(profile.id, (state) => ({
          ...keepState(state),
          profile: { ...profile, role: 'admin' } as Profile,
        }));
      return result;
    },
  ),
  'a claim rethrows an error from the decision and changes nothing': claimAdmin.writeEntryOnFailure(),
  'when an empty store is claimed concurrently, only one claim sees no admin': claimAdmin.applyStaleDecision(),
});
