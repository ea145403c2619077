import { aProfile, noEffects, profileStoreContract } from '@portico/contracts';
import { PorticoError, type Profile, type ProfileState } from '@portico/domain';
import { breachesOf, pause, saveEntries } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { commit, frozenCopy, type MemoryDatabase } from './memory-database.ts';

const { add, admins, claimAdmin, find, findByEmail, list, pending, remove, update } = breachesOf('profiles');

const unchanged = ({ profile, key }: ProfileState) => ({ profile, key, ...noEffects });

const adminsIn = ({ profiles }: MemoryDatabase) => [...profiles.values()].filter(({ role }) => role === 'admin');

const stateIn = (database: MemoryDatabase, id: ReturnType<typeof aProfile>['id']): ProfileState => {
  const profile = database.profiles.get(id);
  if (!profile) throw new PorticoError('user_not_found');
  return { profile, key: database.keys.get(id) ?? null, admins: adminsIn(database) };
};

/** An update that does not check the tier. */
const uncheckedTierUpdate = update.replaceWith(async ([id, decide], _original, database) => {
  const change = decide(stateIn(database, id));
  database.profiles.set(id, frozenCopy(change.profile));
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
  'an added profile is returned unchanged': find.mapResult(
    (profile) => profile && { ...profile, companyName: profile.companyName ?? '' },
  ),
  'an addition writes its effects': add.withoutEffects(),
  'a taken e-mail is rejected as such, and nothing is written': add.writeEntryOnFailure(),
  'a taken uid is rejected as such, and nothing is written': add.replaceWith(
    ([profile, effects], original, database) => {
      commit(database, effects, () => undefined);
      return original.add(profile, noEffects);
    },
  ),
  'if both e-mail and uid are taken, the e-mail is rejected': add.replaceWith(async ([profile, effects], original) => {
    if ((await original.list()).some(({ uid }) => uid === profile.uid)) throw new PorticoError('identity_taken');
    return original.add(profile, effects);
  }),
  'of concurrent additions of one e-mail, exactly one succeeds': staleAddition,
  'of concurrent additions of one uid, exactly one succeeds': staleAddition,
  'an unknown id finds no profile': find.replaceWith(
    async ([id], original) => (await original.find(id)) ?? (await original.list())[0] ?? null,
  ),
  'an e-mail is found in every form of its mailbox': findByEmail.replaceWith(
    async ([email], original) => (await original.list()).find((profile) => profile.email === email) ?? null,
  ),
  'an unknown e-mail finds nothing': findByEmail.replaceWith(
    async ([email], original) => (await original.list()).find((profile) => profile.email.includes(email)) ?? null,
  ),
  'profiles are listed oldest first': list.replaceWith(async (_args, _original, { profiles }) => [
    ...profiles.values(),
  ]),
  'profiles created at the same instant are ordered by id': list.replaceWith(async (_args, _original, { profiles }) =>
    [...profiles.values()].sort((a, b) => a.createdAt - b.createdAt),
  ),
  'only admins are listed as admins, oldest first, ties by id': admins.replaceWith(async (_args, _original, database) =>
    adminsIn(database),
  ),
  'pending profiles are counted, and listed newest first up to the limit': pending.mapResult(({ newest }) => ({
    total: newest.length,
    newest,
  })),
  'an update decides on the profile, its key and the admins': update.mapDecisionInput(([state]) => [
    { ...state, admins: state.admins.slice(0, 1) },
  ]),
  'an update stores the profile and its key, and returns the stored profile': update.replaceWith(
    async ([id, decide], original) => {
      const before = await original.find(id);
      const after = await original.update(id, decide);
      return before ?? after;
    },
  ),
  'an addition and an update store since when a profile is suspended': update.mapDecision((change, [state]) => ({
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
  'an update writes its effects': update.withoutEffects(),
  'an update rethrows an error from the decision and changes nothing': update.writeEntryOnFailure(),
  'an update of a missing profile throws before the decision': update.replaceWith(async ([id, decide], original) => {
    const [other] = await original.list();
    return original.update((await original.find(id)) ? id : (other?.id ?? id), decide);
  }),
  'concurrent updates of one profile each see the previous one': update.applyStaleDecision(),
  'of concurrent demotions of all admins, exactly one is rejected': update.applyStaleDecision(),
  'an update cannot give a profile the e-mail or the uid of another': update.replaceWith(
    async ([id, decide], original, database) => {
      const change = decide(stateIn(database, id));
      database.profiles.set(id, frozenCopy(change.profile));
      return original.update(id, () => change);
    },
  ),
  'an update cannot give a profile a missing tier': uncheckedTierUpdate,
  'no profile keeps a tier that is removed while it is assigned': uncheckedTierUpdate,
  'no read finds a removed profile': remove.restoreAfter(({ profiles }, [id]) =>
    saveEntries(profiles, (key) => key === id),
  ),
  'a removal removes the grants of the profile, and of no other': remove.restoreAfter(({ grants }, [id]) =>
    saveEntries(grants, (key) => key === id),
  ),
  'a removal removes the key of the profile, and of no other': remove.restoreAfter(({ keys }, [id]) =>
    saveEntries(keys, (key) => key === id),
  ),
  'a removal removes the overrides of the profile, and of no other': remove.restoreAfter(({ overrides }, [id]) =>
    saveEntries(overrides, (_key, { profile, override }) => profile === id && !override.isActive),
  ),
  'a removal removes the unsent mails to the profile, and no other job': remove.restoreAfter(({ jobs }) =>
    saveEntries(jobs, (_id, { job }) => job.task.kind === 'mail.rejection'),
  ),
  'a removal keeps the collections the profile created and the entries it wrote': remove.runAfter((database, [id]) => {
    database.entries = database.entries.filter(({ actorId }) => actorId !== id);
  }),
  'a removal decides on the profile, its key and all admins, including itself': remove.mapDecisionInput(
    ([state], [id]) => [{ ...state, admins: state.admins.filter((admin) => admin.id !== id) }],
  ),
  'a removal writes its effects': remove.withoutEffects(),
  'a removal rethrows an error from the decision and changes nothing': remove.runBefore(({ jobs }) => jobs.clear()),
  'a removal of a missing profile throws before the decision': remove.ignoreErrors(),
  'of concurrent removals of all admins, exactly one is rejected': remove.applyStaleDecision(),
  'the e-mail and the uid of a removed profile can be used again': remove.restoreAfter(({ profiles }, [id]) => {
    const profile = profiles.get(id);
    const ghost = aProfile();
    return () => profile && profiles.set(ghost.id, { ...ghost, createdAt: 0, uid: `${profile.uid} (gone)` });
  }),
  'a claim matches by uid rather than by e-mail': claimAdmin.replaceWith(async ([identity, decide], original) => {
    const match = await original.findByEmail(identity.email);
    return original.claimAdmin(identity, (state) => decide({ ...state, match: match ?? state.match }));
  }),
  'a claim matches by e-mail if no profile has the uid': claimAdmin.mapArguments(([identity, decide]) => [
    { ...identity, email: 'nobody' },
    decide,
  ]),
  'a claim sees the admins, and null if no profile matches': claimAdmin.mapDecisionInput(([state]) => [
    { ...state, admins: state.admins.slice(0, 1) },
  ]),
  'a claim adds the profile it decides on, writes its effects and returns the profile': claimAdmin.withoutEffects(),
  'a claim replaces the match with the profile it decides on, and keeps its key': claimAdmin.runAfter(
    ({ keys }, _args, admin) => admin && keys.delete(admin.id),
  ),
  'a claim whose decision is null changes nothing': claimAdmin.replaceWith(async ([identity, decide], original) => {
    const result = await original.claimAdmin(identity, decide);
    const profile = await original.findByEmail(identity.email);
    if (profile)
      await original.update(profile.id, (state) => ({
        ...unchanged(state),
        profile: { ...profile, role: 'admin' } as Profile,
      }));
    return result;
  }),
  'a claim rethrows an error from the decision and changes nothing': claimAdmin.writeEntryOnFailure(),
  'of concurrent claims on an empty store, exactly one sees no admin': claimAdmin.applyStaleDecision(),
});
