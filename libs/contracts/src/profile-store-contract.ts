import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { PorticoError, type Profile, type ProfileChange, type ProfileState } from '@portico/domain';
import { assertFails, assertOneSucceeds, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient, toOwnAccessGrant } from './granting.ts';
import {
  createAddDecision,
  aCollection,
  aDocumentContent,
  aJob,
  aKey,
  aMailJob,
  anAdmin,
  aNoticeJob,
  anEntry,
  anOverride,
  aProfile,
  aTier,
  endOfTime,
  jobEffectsOf,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `ProfileStore`. */
export const profileStoreContract = {
  'a profile is returned exactly as it was added': async (stores) => {
    const fullProfile = aProfile({ tier: 'gold' });
    const minimalProfile = aProfile({
      status: 'pending',
      issuer: null,
      companyName: null,
      clientId: null,
      approvedAt: null,
    });
    for (const profile of [fullProfile, minimalProfile]) {
      await stores.profiles.add(profile, noEffects);
      deepStrictEqual(await stores.profiles.find(profile.id), profile);
    }
  },

  'adding a profile writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.profiles.add(aProfile(), effects);
    await assertWritten(stores, effects);
  },

  'an email that is taken is rejected with its own error, and nothing is written': async (stores) => {
    const first = await addProfile(stores, aProfile({ email: 'jos\u00e9@b\u00fccher.example' }));
    for (const email of [first.email, 'jose\u0301@bu\u0308cher.example', 'jos\u00e9@xn--bcher-kva.example'])
      await assertRejects(stores.profiles.add(aProfile({ email }), someEffects()), 'email_taken');
    deepStrictEqual(await stores.profiles.list(), [first]);
    await assertWritten(stores);
  },

  'a uid that is taken is rejected with its own error, and nothing is written': async (stores) => {
    const first = await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.add(aProfile({ uid: first.uid }), someEffects()), 'identity_taken');
    deepStrictEqual(await stores.profiles.list(), [first]);
    await assertWritten(stores);
  },

  'if both email and uid are taken, the email is rejected': async (stores) => {
    const firstProfile = await addProfile(stores, aProfile());
    const otherProfile = await addProfile(stores, aProfile());
    await assertRejects(
      stores.profiles.add(aProfile({ email: otherProfile.email, uid: firstProfile.uid }), noEffects),
      'email_taken',
    );
  },

  'when the same email is added concurrently, only one call succeeds': async (stores) => {
    await assertOneSucceeds(
      () => stores.profiles.add(aProfile({ email: 'one@example.com' }), noEffects),
      'email_taken',
    );
    strictEqual((await stores.profiles.list()).length, 1);
  },

  'when the same uid is added concurrently, only one call succeeds': async (stores) => {
    await assertOneSucceeds(() => stores.profiles.add(aProfile({ uid: 'one' }), noEffects), 'identity_taken');
    strictEqual((await stores.profiles.list()).length, 1);
  },

  'looking up an unknown id returns no profile': async (stores) => {
    await addProfile(stores, aProfile());
    strictEqual(await stores.profiles.find(nextId()), null);
  },

  'a profile is found by every form of its mailbox': async (stores) => {
    for (const [email, variant] of [
      ['ada@example.com', 'ADA@Example.com'],
      ['\u00e4da@b\u00fccher.example', 'a\u0308da@XN--bcher-kva.example'],
      ['ada@xn--mnchen-3ya.example', 'ada@m\u00fcnchen.example'],
    ] as const) {
      const profile = await addProfile(stores, aProfile({ email }));
      deepStrictEqual(await stores.profiles.findByEmail(variant), profile);
    }
    strictEqual(await stores.profiles.findByEmail('\u00c4da@b\u00fccher.example'), null);
  },

  'looking up an unknown email returns nothing': async (stores) => {
    await addProfile(stores, aProfile({ email: 'ada@example.com' }));
    strictEqual(await stores.profiles.findByEmail('da@example.com'), null);
  },

  'profiles are listed oldest first': async (stores) => {
    const newest = await addProfile(stores, aProfile({ createdAt: start + 2 }));
    const oldest = await addProfile(stores, aProfile({ createdAt: start }));
    const middle = await addProfile(stores, aProfile({ createdAt: start + 1 }));
    deepStrictEqual(await stores.profiles.list(), [oldest, middle, newest]);
  },

  'profiles created at the same instant are ordered by id': async (stores) => {
    const [first, second, third] = [aProfile(), aProfile(), aProfile()];
    for (const profile of [second, third, first]) await addProfile(stores, profile);
    deepStrictEqual(await stores.profiles.list(), [first, second, third]);
  },

  'only admins are listed as admins, oldest first, then by id': async (stores) => {
    const [olderAdmin, newerAdmin] = [anAdmin(), anAdmin()];
    const oldest = anAdmin({ createdAt: start - 1 });
    for (const profile of [aProfile(), newerAdmin, olderAdmin, aProfile({ createdAt: start - 2 }), oldest]) {
      await addProfile(stores, profile);
    }
    deepStrictEqual(await stores.profiles.listAdmins(), [oldest, olderAdmin, newerAdmin]);
  },

  'pending profiles are counted, and listed newest first up to the limit': async (stores) => {
    const addPendingProfile = (createdAt: number) => addProfile(stores, aProfile({ status: 'pending', createdAt }));
    const [oldest, newest, middle, twinProfile] = [
      await addPendingProfile(start),
      await addPendingProfile(start + 2),
      await addPendingProfile(start + 1),
      await addPendingProfile(start + 1),
    ];
    for (const status of ['approved', 'rejected'] as const)
      await addProfile(stores, aProfile({ status, createdAt: start + 3 }));
    deepStrictEqual(await stores.profiles.readPending(9), { total: 4, newest: [newest, twinProfile, middle, oldest] });
    deepStrictEqual(await stores.profiles.readPending(2), { total: 4, newest: [newest, twinProfile] });
  },

  'an update bases its decision on the profile, its key and the admins': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const admins = await addAdmins(stores, 2);
    const key = aKey();
    await stores.profiles.update(profile.id, changeDecision({ key }));
    let capturedState: ProfileState | null = null;
    await stores.profiles.update(profile.id, (state) => changeDecision()((capturedState = state)));
    deepStrictEqual(capturedState, { profile, key, admins });
  },

  'an update stores the profile and its key, and returns the stored profile': async (stores) => {
    const before = await addProfile(stores, aProfile({ status: 'pending', clientId: null, approvedAt: null }));
    const profile = { ...aProfile(), id: before.id };
    const key = aKey();
    deepStrictEqual(await stores.profiles.update(before.id, () => ({ profile, key, ...noEffects })), profile);
    deepStrictEqual(await stores.profiles.find(before.id), profile);
    deepStrictEqual((await rowOf(stores, profile)).key, key);
  },

  'adding and updating a profile store when it was suspended': async (stores) => {
    for (const suspendedAt of [start + 7, null]) {
      const profile = await addProfile(stores, aProfile({ suspendedAt }));
      strictEqual((await rowOf(stores, profile)).profile.suspendedAt, suspendedAt);
      const newSuspendedAt = suspendedAt === null ? start + 8 : null;
      await stores.profiles.update(
        profile.id,
        changeDecision({ profile: { ...profile, suspendedAt: newSuspendedAt } }),
      );
      strictEqual((await rowOf(stores, profile)).profile.suspendedAt, newSuspendedAt);
    }
  },

  'the expiry of a key is stored': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    for (const expiresAt of [start + 7, null]) {
      await stores.profiles.update(profile.id, changeDecision({ key: { ...aKey(), expiresAt } }));
      deepStrictEqual((await rowOf(stores, profile)).key, { ...aKey(), expiresAt });
    }
  },

  'an update whose key is null removes the key': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    await stores.profiles.update(profile.id, changeDecision({ key: aKey() }));
    await stores.profiles.update(profile.id, changeDecision({ key: null }));
    strictEqual((await rowOf(stores, profile)).key, null);
  },

  'an update writes its effects': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const effects = someEffects();
    await stores.profiles.update(profile.id, changeDecision(effects));
    await assertWritten(stores, effects);
  },

  'an update rethrows an error from the decision and changes nothing': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.update(profile.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.profiles.find(profile.id), profile);
    await assertWritten(stores);
  },

  'updating a missing profile throws before the decision is called': async (stores) => {
    await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.update(nextId(), failDecision), 'user_not_found');
  },

  'concurrent updates of the same profile each see the previous update': async (stores) => {
    const { id } = await addProfile(stores, aProfile({ fullName: '' }));
    const increment = (state: ProfileState) =>
      changeDecision({ profile: { ...state.profile, fullName: `${state.profile.fullName}.` } })(state);
    await Promise.all(Array.from({ length: 20 }, () => stores.profiles.update(id, increment)));
    strictEqual((await stores.profiles.find(id))?.fullName, '.'.repeat(20));
  },

  'when all admins are demoted concurrently, only one call is rejected': async (stores) => {
    const admins = await addAdmins(stores, 20);
    const outcomes = await Promise.allSettled(admins.map(({ id }) => stores.profiles.update(id, demote)));
    strictEqual(outcomes.filter(({ status }) => status === 'rejected').length, 1);
    strictEqual(await countAdmins(stores), 1);
  },

  'an update cannot give a profile the email or the uid of a different profile': async (stores) => {
    const firstProfile = await addProfile(stores, aProfile());
    const otherProfile = await addProfile(stores, aProfile());
    for (const conflict of [{ email: firstProfile.email }, { uid: firstProfile.uid }]) {
      const change = changeDecision({ profile: { ...otherProfile, ...conflict }, ...someEffects() });
      await assertFails(stores.profiles.update(otherProfile.id, change));
    }
    deepStrictEqual(await stores.profiles.find(otherProfile.id), otherProfile);
    await assertWritten(stores);
  },

  'an update cannot give a profile a tier that does not exist': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const change = changeDecision({ profile: { ...profile, tier: 'gold' }, ...someEffects() });
    await assertRejects(stores.profiles.update(profile.id, change), 'tier_not_found');
    deepStrictEqual(await stores.profiles.find(profile.id), profile);
    await assertWritten(stores);
  },

  'a tier that is removed while it is being assigned is not kept by any profile': async (stores) => {
    const profiles = await Promise.all(Array.from({ length: 20 }, () => addProfile(stores, aProfile())));
    await stores.limits.addTier(aTier(), noEffects);
    const assign = ({ id }: Profile) =>
      stores.profiles.update(id, (state) => changeDecision({ profile: { ...state.profile, tier: 'gold' } })(state));
    const remove = () => stores.limits.removeTier('gold', () => ({ removedAt: start, ...noEffects }));
    await Promise.allSettled([...profiles.slice(10).map(assign), remove(), ...profiles.slice(0, 10).map(assign)]);
    deepStrictEqual(await stores.limits.listTiers(), []);
    deepStrictEqual(
      (await stores.profiles.list()).filter(({ tier }) => tier !== null),
      [],
    );
  },

  'no read returns a removed profile': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const otherProfile = await addProfile(stores, aProfile());
    await stores.profiles.remove(profile.id, () => noEffects);
    strictEqual(await stores.profiles.find(profile.id), null);
    strictEqual(await stores.profiles.findByEmail(profile.email), null);
    strictEqual(await stores.callers.findByUid(profile.uid, null, start), null);
    ok(profile.clientId);
    strictEqual(await stores.callers.findByClientId(profile.clientId, null, start), null);
    deepStrictEqual(await stores.profiles.list(), [otherProfile]);
  },

  'removing a profile removes only its own grants': async (stores) => {
    const [removedProfile, remainingProfile] = [
      await addProfile(stores, aProfile()),
      await addProfile(stores, aProfile()),
    ];
    const { id } = await addCollection(stores);
    for (const profile of [removedProfile, remainingProfile]) {
      await grantToClient(stores.grants, profile.id, id, () => ({ grantedAt: start, ...noEffects }));
    }
    await stores.profiles.remove(removedProfile.id, () => noEffects);
    await addProfile(stores, removedProfile);
    deepStrictEqual(await stores.grants.listClients(id, start), [
      { profile: remainingProfile, grants: [toOwnAccessGrant(start)] },
    ]);
  },

  'removing a profile removes only its own key': async (stores) => {
    const [removedProfile, remainingProfile] = [
      await addProfile(stores, aProfile()),
      await addProfile(stores, aProfile()),
    ];
    for (const { id } of [removedProfile, remainingProfile])
      await stores.profiles.update(id, changeDecision({ key: aKey() }));
    await stores.profiles.remove(removedProfile.id, () => noEffects);
    await addProfile(stores, removedProfile);
    strictEqual((await rowOf(stores, removedProfile)).key, null);
    deepStrictEqual((await rowOf(stores, remainingProfile)).key, aKey());
  },

  'removing a profile removes only its own overrides': async (stores) => {
    const [removedProfile, remainingProfile] = [
      await addProfile(stores, aProfile()),
      await addProfile(stores, aProfile()),
    ];
    await stores.limits.addOverride(removedProfile.id, createAddDecision(anOverride({ isActive: false })));
    await stores.limits.addOverride(removedProfile.id, createAddDecision(anOverride()));
    const otherOverride = await stores.limits.addOverride(remainingProfile.id, createAddDecision(anOverride()));
    await stores.profiles.remove(removedProfile.id, () => noEffects);
    deepStrictEqual(await stores.limits.listOverrides(false), [otherOverride]);
  },

  'removing a profile removes only the jobs of unsent emails to it': async (stores) => {
    const [removedProfile, remainingProfile] = [
      await addProfile(stores, aProfile()),
      await addProfile(stores, aProfile()),
    ];
    const rejection = aJob({ task: { kind: 'mail.rejection', profileId: removedProfile.id, reason: null } });
    const otherJobs = [aMailJob(remainingProfile.id), aNoticeJob(remainingProfile.id), aJob()];
    await stores.embeddingJobs.enqueue(
      jobEffectsOf(aMailJob(removedProfile.id), rejection, aNoticeJob(removedProfile.id), ...otherJobs),
    );
    await stores.profiles.remove(removedProfile.id, () => noEffects);
    await assertWritten(stores, jobEffectsOf(...otherJobs));
  },

  'removing a profile keeps the collections that it created and its audit entries': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const collection = await addCollection(stores, { createdBy: profile.id });
    const entry = anEntry({ actorId: profile.id });
    await stores.audit.append(entry, null);
    await stores.profiles.remove(profile.id, () => noEffects);
    deepStrictEqual(await stores.collections.find(collection.id), collection);
    deepStrictEqual((await stores.audit.readPage({ source: 'all' }, 0, 9)).entries, [entry]);
  },

  'a removal bases its decision on the profile, its key and all admins, including the profile itself': async (
    stores,
  ) => {
    const profile = await addProfile(stores, anAdmin());
    await stores.profiles.update(profile.id, changeDecision({ key: aKey() }));
    const otherProfile = await addProfile(stores, anAdmin());
    let capturedState: ProfileState | null = null;
    await stores.profiles.remove(profile.id, (state) => {
      capturedState = state;
      return noEffects;
    });
    deepStrictEqual(capturedState, { profile, key: aKey(), admins: [profile, otherProfile] });
  },

  'a removal writes its effects': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const effects = someEffects();
    await stores.profiles.remove(profile.id, () => effects);
    await assertWritten(stores, effects);
  },

  'a removal rethrows an error from the decision and changes nothing': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const mail = jobEffectsOf(aMailJob(profile.id));
    await stores.profiles.update(profile.id, changeDecision({ key: aKey(), ...mail }));
    await assertRejects(stores.profiles.remove(profile.id, failDecision), 'already_approved');
    deepStrictEqual((await rowOf(stores, profile)).key, aKey());
    await assertWritten(stores, mail);
  },

  'removing a missing profile throws before the decision is called': async (stores) => {
    await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.remove(nextId(), failDecision), 'user_not_found');
  },

  'when all admins are removed concurrently, only one call is rejected': async (stores) => {
    const admins = await addAdmins(stores, 20);
    const outcomes = await Promise.allSettled(
      admins.map(({ id }) => stores.profiles.remove(id, (state) => (requireOtherAdmin(state), noEffects))),
    );
    strictEqual(outcomes.filter(({ status }) => status === 'rejected').length, 1);
    strictEqual(await countAdmins(stores), 1);
  },

  'the email and the uid of a removed profile can be used again': async (stores) => {
    const { id, email, uid } = await addProfile(stores, aProfile());
    await stores.profiles.remove(id, () => noEffects);
    const newProfile = await addProfile(stores, aProfile({ email, uid }));
    deepStrictEqual(await stores.profiles.list(), [newProfile]);
  },

  'a claim matches by uid rather than by email': async (stores) => {
    const profileWithEmail = await addProfile(stores, aProfile());
    const profileWithUid = await addProfile(stores, aProfile());
    deepStrictEqual(await captureClaimState(stores, profileWithUid.uid, profileWithEmail.email), {
      admins: [],
      match: profileWithUid,
    });
  },

  'a claim matches by email if no profile has the uid': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    deepStrictEqual(await captureClaimState(stores, 'nobody', profile.email), { admins: [], match: profile });
  },

  'a claim sees the admins, and null as the match if no profile matches': async (stores) => {
    await addProfile(stores, aProfile());
    const admins = await addAdmins(stores, 2);
    deepStrictEqual(await captureClaimState(stores, 'nobody', 'nobody@example.com'), { admins, match: null });
  },

  'a claim adds the profile from the decision, writes its effects and returns the profile': async (stores) => {
    const admin = anAdmin();
    const effects = someEffects();
    deepStrictEqual(await stores.profiles.claimAdmin(admin, () => ({ profile: admin, ...effects })), admin);
    deepStrictEqual(await stores.profiles.list(), [admin]);
    await assertWritten(stores, effects);
  },

  'a claim replaces the match with the profile from the decision, and keeps its key': async (stores) => {
    const before = await addProfile(stores, aProfile());
    await stores.profiles.update(before.id, changeDecision({ key: aKey() }));
    const admin = { ...before, role: 'admin', updatedAt: before.updatedAt + 1 } as Profile;
    deepStrictEqual(await stores.profiles.claimAdmin(before, () => ({ profile: admin, ...noEffects })), admin);
    deepStrictEqual(await stores.profiles.list(), [admin]);
    deepStrictEqual((await rowOf(stores, admin)).key, aKey());
  },

  'a claim whose decision returns null changes nothing': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    strictEqual(await stores.profiles.claimAdmin(profile, () => null), null);
    deepStrictEqual(await stores.profiles.list(), [profile]);
    await assertWritten(stores);
  },

  'a claim rethrows an error from the decision and changes nothing': async (stores) => {
    await assertRejects(stores.profiles.claimAdmin(anAdmin(), failDecision), 'already_approved');
    deepStrictEqual(await stores.profiles.list(), []);
    await assertWritten(stores);
  },

  'when an empty store is claimed concurrently, only one claim sees no admin': async (stores) => {
    await assertOneSucceeds((index) => {
      const admin = anAdmin({ createdAt: start + index });
      return stores.profiles.claimAdmin(admin, ({ admins }) => {
        if (admins.length > 0) throw new PorticoError('already_approved');
        return { profile: admin, ...noEffects };
      });
    }, 'already_approved');
    strictEqual(await countAdmins(stores), 1);
  },
} satisfies Contract<Stores>;

const addProfile = async ({ profiles }: Stores, profile: Profile): Promise<Profile> => {
  await profiles.add(profile, noEffects);
  return profile;
};

const addAdmins = (stores: Stores, count: number): Promise<Profile[]> =>
  Promise.all(Array.from({ length: count }, () => addProfile(stores, anAdmin())));

const addCollection = async (stores: Stores, fields = {}) => {
  const collection = aCollection(fields);
  await stores.collections.add(collection, aDocumentContent(), noEffects);
  return collection;
};

/** Returns a decision whose only change is this one. */
const changeDecision =
  (change: Partial<ProfileChange> = {}) =>
  ({ profile, key }: ProfileState): ProfileChange => ({ profile, key, ...noEffects, ...change });

const requireOtherAdmin = ({ admins }: ProfileState): void => {
  if (admins.length < 2) throw new PorticoError('last_admin');
};

const demote = (state: ProfileState): ProfileChange => {
  requireOtherAdmin(state);
  return changeDecision({ profile: { ...state.profile, role: 'client', updatedAt: endOfTime } })(state);
};

const countAdmins = async ({ profiles }: Stores): Promise<number> =>
  (await profiles.list()).filter(({ role }) => role === 'admin').length;

const captureClaimState = async ({ profiles }: Stores, uid: string, email: string) => {
  let capturedState: { readonly admins: readonly Profile[]; readonly match: Profile | null } | null = null;
  await profiles.claimAdmin({ uid, email }, (state) => {
    capturedState = state;
    return null;
  });
  return capturedState;
};
