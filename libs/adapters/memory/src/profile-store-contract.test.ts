import { aProfile, noEffects, profileStoreContract } from '@portico/contracts';
import { PorticoError, type Profile, type ProfileState } from '@portico/domain';
import { breachesOf, pause, restoring } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';
import { commit, kept, type MemoryDatabase } from './memory-database.ts';

const { add, admins, claimAdmin, find, findByEmail, list, pending, remove, update } = breachesOf('profiles');

const unchanged = ({ profile, key }: ProfileState) => ({ profile, key, ...noEffects });

const adminsIn = ({ profiles }: MemoryDatabase) => [...profiles.values()].filter(({ role }) => role === 'admin');

const stateIn = (database: MemoryDatabase, id: ReturnType<typeof aProfile>['id']): ProfileState => {
  const profile = database.profiles.get(id);
  if (!profile) throw new PorticoError('user_not_found');
  return { profile, key: database.keys.get(id) ?? null, admins: adminsIn(database) };
};

/** An update that does not check the tier. */
const assigningAnyTier = update.instead(async ([id, decide], _right, database) => {
  const change = decide(stateIn(database, id));
  database.profiles.set(id, kept(change.profile));
  return change.profile;
});

/** An addition that checks first and writes a moment later. */
const staleAddition = add.instead(async ([profile], right, { profiles }) => {
  const list = await right.list();
  if (list.some(({ email }) => email === profile.email)) throw new PorticoError('email_taken');
  if (list.some(({ uid }) => uid === profile.uid)) throw new PorticoError('identity_taken');
  await pause();
  profiles.set(profile.id, profile);
});

proveStores('the memory profile store', profileStoreContract, {
  'an added profile is found as it was given': find.returning(
    (profile) => profile && { ...profile, companyName: profile.companyName ?? '' },
  ),
  'an addition writes its effects': add.withoutEffects(),
  'a taken e-mail is refused as such, and nothing is written': add.leaking(),
  'a taken uid is refused as such, and nothing is written': add.instead(([profile, effects], right, database) => {
    commit(database, effects, () => undefined);
    return right.add(profile, noEffects);
  }),
  'if both e-mail and uid are taken, the e-mail is refused': add.instead(async ([profile, effects], right) => {
    if ((await right.list()).some(({ uid }) => uid === profile.uid)) throw new PorticoError('identity_taken');
    return right.add(profile, effects);
  }),
  'of concurrent additions of one e-mail, exactly one succeeds': staleAddition,
  'of concurrent additions of one uid, exactly one succeeds': staleAddition,
  'an unknown id finds no profile': find.instead(
    async ([id], right) => (await right.find(id)) ?? (await right.list())[0] ?? null,
  ),
  'an e-mail is found however its mailbox is written': findByEmail.instead(
    async ([email], right) => (await right.list()).find((profile) => profile.email === email) ?? null,
  ),
  'an unknown e-mail finds nothing': findByEmail.instead(
    async ([email], right) => (await right.list()).find((profile) => profile.email.includes(email)) ?? null,
  ),
  'profiles are listed oldest first': list.instead(async (_asked, _right, { profiles }) => [...profiles.values()]),
  'profiles created at the same instant are ordered by id': list.instead(async (_asked, _right, { profiles }) =>
    [...profiles.values()].sort((a, b) => a.createdAt - b.createdAt),
  ),
  'only admins are listed as admins, oldest first, ties by id': admins.instead(async (_asked, _right, database) =>
    adminsIn(database),
  ),
  'pending profiles are counted, and listed newest first up to the limit': pending.returning(({ newest }) => ({
    total: newest.length,
    newest,
  })),
  'an update decides on the profile, its key and the admins': update.misleading(([state]) => [
    { ...state, admins: state.admins.slice(0, 1) },
  ]),
  'an update stores the profile and its key, and returns the stored profile': update.instead(
    async ([id, decide], right) => {
      const before = await right.find(id);
      const after = await right.update(id, decide);
      return before ?? after;
    },
  ),
  'since when a profile is suspended is kept, by an addition and by an update': update.deciding((change, [state]) => ({
    ...change,
    profile: { ...change.profile, suspendedAt: state.profile.suspendedAt },
  })),
  'the end of a key is kept': update.deciding((change) => ({
    ...change,
    key: change.key && { ...change.key, expiresAt: null },
  })),
  'an update whose key is null removes the key': update.deciding((change, [state]) => ({
    ...change,
    key: change.key ?? state.key,
  })),
  'an update writes its effects': update.withoutEffects(),
  'an update rethrows what its decision throws, and leaves everything as it was': update.leaking(),
  'an update of a missing profile is refused before the decision': update.instead(async ([id, decide], right) => {
    const [other] = await right.list();
    return right.update((await right.find(id)) ? id : (other?.id ?? id), decide);
  }),
  'concurrent updates of one profile each see the one before': update.stale(),
  'of concurrent demotions of all admins, exactly one is refused': update.stale(),
  'an update cannot give a profile the e-mail or the uid of another': update.instead(
    async ([id, decide], right, database) => {
      const change = decide(stateIn(database, id));
      database.profiles.set(id, kept(change.profile));
      return right.update(id, () => change);
    },
  ),
  'an update cannot give a profile a missing tier': assigningAnyTier,
  'no profile keeps a tier that is removed while it is assigned': assigningAnyTier,
  'a removed profile is not found in any way': remove.leaving(({ profiles }, [id]) =>
    restoring(profiles, (key) => key === id),
  ),
  'a removal removes the grants of the profile, and of no other': remove.leaving(({ grants }, [id]) =>
    restoring(grants, (key) => key === id),
  ),
  'a removal removes the key of the profile, and of no other': remove.leaving(({ keys }, [id]) =>
    restoring(keys, (key) => key === id),
  ),
  'a removal removes the overrides of the profile, and of no other': remove.leaving(({ overrides }, [id]) =>
    restoring(overrides, (_key, { profile, override }) => profile === id && !override.isActive),
  ),
  'a removal removes the unsent mails to the profile, and no other job': remove.leaving(({ jobs }) =>
    restoring(jobs, (_id, { job }) => job.task.kind === 'mail.rejection'),
  ),
  'a removal keeps the collections the profile created and the entries it wrote': remove.followed((database, [id]) => {
    database.entries = database.entries.filter(({ actorId }) => actorId !== id);
  }),
  'a removal decides on the profile, its key and all admins, itself included': remove.misleading(([state], [id]) => [
    { ...state, admins: state.admins.filter((admin) => admin.id !== id) },
  ]),
  'a removal writes its effects': remove.withoutEffects(),
  'a removal rethrows what its decision throws, and keeps everything': remove.preceded(({ jobs }) => jobs.clear()),
  'a removal of a missing profile is refused before the decision': remove.hushing(),
  'of concurrent removals of all admins, exactly one is refused': remove.stale(),
  'the e-mail and the uid of a removed profile are free again': remove.leaving(({ profiles }, [id]) => {
    const profile = profiles.get(id);
    const ghost = aProfile();
    return () => profile && profiles.set(ghost.id, { ...ghost, createdAt: 0, uid: `${profile.uid} (gone)` });
  }),
  'a claim matches by uid rather than by e-mail': claimAdmin.instead(async ([identity, decide], right) => {
    const match = await right.findByEmail(identity.email);
    return right.claimAdmin(identity, (state) => decide({ ...state, match: match ?? state.match }));
  }),
  'a claim matches by e-mail if no profile has the uid': claimAdmin.asking(([identity, decide]) => [
    { ...identity, email: 'nobody' },
    decide,
  ]),
  'a claim sees the admins, and null if no profile matches': claimAdmin.misleading(([state]) => [
    { ...state, admins: state.admins.slice(0, 1) },
  ]),
  'a claim adds the profile it decides on, writes its effects and returns the profile': claimAdmin.withoutEffects(),
  'a claim stores the profile it decides on in place of the match, which keeps its key': claimAdmin.followed(
    ({ keys }, _asked, admin) => admin && keys.delete(admin.id),
  ),
  'a claim whose decision is null changes nothing': claimAdmin.instead(async ([identity, decide], right) => {
    const answer = await right.claimAdmin(identity, decide);
    const profile = await right.findByEmail(identity.email);
    if (profile)
      await right.update(profile.id, (state) => ({
        ...unchanged(state),
        profile: { ...profile, role: 'admin' } as Profile,
      }));
    return answer;
  }),
  'a claim rethrows what its decision throws, and changes nothing': claimAdmin.leaking(),
  'of concurrent claims on an empty store, exactly one sees no admin': claimAdmin.stale(),
});
