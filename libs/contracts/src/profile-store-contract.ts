import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { PorticoError, type Profile, type ProfileChange, type ProfileState } from '@portico/domain';
import { assertFails, assertOneWins, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient, ownWay } from './granting.ts';
import {
  adding,
  aCollection,
  aContent,
  aJob,
  aKey,
  aMailJob,
  anAdmin,
  aNotice,
  anEntry,
  anOverride,
  aProfile,
  aTier,
  endOfTime,
  jobsOnly,
  nextId,
  noEffects,
  someEffects,
  start,
} from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `ProfileStore`. */
export const profileStoreContract = {
  'an added profile is returned unchanged': async (stores) => {
    const full = aProfile({ tier: 'gold' });
    const bare = aProfile({ status: 'pending', issuer: null, companyName: null, clientId: null, approvedAt: null });
    for (const profile of [full, bare]) {
      await stores.profiles.add(profile, noEffects);
      deepStrictEqual(await stores.profiles.find(profile.id), profile);
    }
  },

  'an addition writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.profiles.add(aProfile(), effects);
    await assertWritten(stores, effects);
  },

  'a taken e-mail is rejected as such, and nothing is written': async (stores) => {
    const first = await addProfile(stores, aProfile({ email: 'jos\u00e9@b\u00fccher.example' }));
    for (const email of [first.email, 'jose\u0301@bu\u0308cher.example', 'jos\u00e9@xn--bcher-kva.example'])
      await assertRejects(stores.profiles.add(aProfile({ email }), someEffects()), 'email_taken');
    deepStrictEqual(await stores.profiles.list(), [first]);
    await assertWritten(stores);
  },

  'a taken uid is rejected as such, and nothing is written': async (stores) => {
    const first = await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.add(aProfile({ uid: first.uid }), someEffects()), 'identity_taken');
    deepStrictEqual(await stores.profiles.list(), [first]);
    await assertWritten(stores);
  },

  'if both e-mail and uid are taken, the e-mail is rejected': async (stores) => {
    const one = await addProfile(stores, aProfile());
    const other = await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.add(aProfile({ email: other.email, uid: one.uid }), noEffects), 'email_taken');
  },

  'of concurrent additions of one e-mail, exactly one succeeds': async (stores) => {
    await assertOneWins(() => stores.profiles.add(aProfile({ email: 'one@example.com' }), noEffects), 'email_taken');
    strictEqual((await stores.profiles.list()).length, 1);
  },

  'of concurrent additions of one uid, exactly one succeeds': async (stores) => {
    await assertOneWins(() => stores.profiles.add(aProfile({ uid: 'one' }), noEffects), 'identity_taken');
    strictEqual((await stores.profiles.list()).length, 1);
  },

  'an unknown id finds no profile': async (stores) => {
    await addProfile(stores, aProfile());
    strictEqual(await stores.profiles.find(nextId()), null);
  },

  'an e-mail is found in every form of its mailbox': async (stores) => {
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

  'an unknown e-mail finds nothing': async (stores) => {
    await addProfile(stores, aProfile({ email: 'ada@example.com' }));
    strictEqual(await stores.profiles.findByEmail('da@example.com'), null);
  },

  'profiles are listed oldest first': async (stores) => {
    const young = await addProfile(stores, aProfile({ createdAt: start + 2 }));
    const old = await addProfile(stores, aProfile({ createdAt: start }));
    const middle = await addProfile(stores, aProfile({ createdAt: start + 1 }));
    deepStrictEqual(await stores.profiles.list(), [old, middle, young]);
  },

  'profiles created at the same instant are ordered by id': async (stores) => {
    const [first, second, third] = [aProfile(), aProfile(), aProfile()];
    for (const profile of [second, third, first]) await addProfile(stores, profile);
    deepStrictEqual(await stores.profiles.list(), [first, second, third]);
  },

  'only admins are listed as admins, oldest first, ties by id': async (stores) => {
    const [old, young] = [anAdmin(), anAdmin()];
    const oldest = anAdmin({ createdAt: start - 1 });
    for (const profile of [aProfile(), young, old, aProfile({ createdAt: start - 2 }), oldest]) {
      await addProfile(stores, profile);
    }
    deepStrictEqual(await stores.profiles.admins(), [oldest, old, young]);
  },

  'pending profiles are counted, and listed newest first up to the limit': async (stores) => {
    const at = (createdAt: number) => addProfile(stores, aProfile({ status: 'pending', createdAt }));
    const [old, young, middle, twin] = [await at(start), await at(start + 2), await at(start + 1), await at(start + 1)];
    for (const status of ['approved', 'rejected'] as const)
      await addProfile(stores, aProfile({ status, createdAt: start + 3 }));
    deepStrictEqual(await stores.profiles.pending(9), { total: 4, newest: [young, twin, middle, old] });
    deepStrictEqual(await stores.profiles.pending(2), { total: 4, newest: [young, twin] });
  },

  'an update decides on the profile, its key and the admins': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const admins = await addAdmins(stores, 2);
    const key = aKey();
    await stores.profiles.update(profile.id, changing({ key }));
    let seen: ProfileState | null = null;
    await stores.profiles.update(profile.id, (state) => changing()((seen = state)));
    deepStrictEqual(seen, { profile, key, admins });
  },

  'an update stores the profile and its key, and returns the stored profile': async (stores) => {
    const before = await addProfile(stores, aProfile({ status: 'pending', clientId: null, approvedAt: null }));
    const profile = { ...aProfile(), id: before.id };
    const key = aKey();
    deepStrictEqual(await stores.profiles.update(before.id, () => ({ profile, key, ...noEffects })), profile);
    deepStrictEqual(await stores.profiles.find(before.id), profile);
    deepStrictEqual((await rowOf(stores, profile)).key, key);
  },

  'an addition and an update store since when a profile is suspended': async (stores) => {
    for (const suspendedAt of [start + 7, null]) {
      const profile = await addProfile(stores, aProfile({ suspendedAt }));
      strictEqual((await rowOf(stores, profile)).profile.suspendedAt, suspendedAt);
      const changed = suspendedAt === null ? start + 8 : null;
      await stores.profiles.update(profile.id, changing({ profile: { ...profile, suspendedAt: changed } }));
      strictEqual((await rowOf(stores, profile)).profile.suspendedAt, changed);
    }
  },

  'the expiry of a key is stored': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    for (const expiresAt of [start + 7, null]) {
      await stores.profiles.update(profile.id, changing({ key: { ...aKey(), expiresAt } }));
      deepStrictEqual((await rowOf(stores, profile)).key, { ...aKey(), expiresAt });
    }
  },

  'an update whose key is null removes the key': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    await stores.profiles.update(profile.id, changing({ key: aKey() }));
    await stores.profiles.update(profile.id, changing({ key: null }));
    strictEqual((await rowOf(stores, profile)).key, null);
  },

  'an update writes its effects': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const effects = someEffects();
    await stores.profiles.update(profile.id, changing(effects));
    await assertWritten(stores, effects);
  },

  'an update rethrows an error from the decision and changes nothing': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.update(profile.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.profiles.find(profile.id), profile);
    await assertWritten(stores);
  },

  'an update of a missing profile throws before the decision': async (stores) => {
    await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.update(nextId(), failDecision), 'user_not_found');
  },

  'concurrent updates of one profile each see the previous one': async (stores) => {
    const { id } = await addProfile(stores, aProfile({ fullName: '' }));
    const oneMore = (state: ProfileState) =>
      changing({ profile: { ...state.profile, fullName: `${state.profile.fullName}.` } })(state);
    await Promise.all(Array.from({ length: 20 }, () => stores.profiles.update(id, oneMore)));
    strictEqual((await stores.profiles.find(id))?.fullName, '.'.repeat(20));
  },

  'of concurrent demotions of all admins, exactly one is rejected': async (stores) => {
    const admins = await addAdmins(stores, 20);
    const outcomes = await Promise.allSettled(admins.map(({ id }) => stores.profiles.update(id, demote)));
    strictEqual(outcomes.filter(({ status }) => status === 'rejected').length, 1);
    strictEqual(await countAdmins(stores), 1);
  },

  'an update cannot give a profile the e-mail or the uid of another': async (stores) => {
    const one = await addProfile(stores, aProfile());
    const other = await addProfile(stores, aProfile());
    for (const conflict of [{ email: one.email }, { uid: one.uid }]) {
      const change = changing({ profile: { ...other, ...conflict }, ...someEffects() });
      await assertFails(stores.profiles.update(other.id, change));
    }
    deepStrictEqual(await stores.profiles.find(other.id), other);
    await assertWritten(stores);
  },

  'an update cannot give a profile a missing tier': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const change = changing({ profile: { ...profile, tier: 'gold' }, ...someEffects() });
    await assertRejects(stores.profiles.update(profile.id, change), 'tier_not_found');
    deepStrictEqual(await stores.profiles.find(profile.id), profile);
    await assertWritten(stores);
  },

  'no profile keeps a tier that is removed while it is assigned': async (stores) => {
    const profiles = await Promise.all(Array.from({ length: 20 }, () => addProfile(stores, aProfile())));
    await stores.limits.addTier(aTier(), noEffects);
    const assign = ({ id }: Profile) =>
      stores.profiles.update(id, (state) => changing({ profile: { ...state.profile, tier: 'gold' } })(state));
    const remove = () => stores.limits.removeTier('gold', () => ({ removedAt: start, ...noEffects }));
    await Promise.allSettled([...profiles.slice(10).map(assign), remove(), ...profiles.slice(0, 10).map(assign)]);
    deepStrictEqual(await stores.limits.tiers(), []);
    deepStrictEqual(
      (await stores.profiles.list()).filter(({ tier }) => tier !== null),
      [],
    );
  },

  'no read finds a removed profile': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const other = await addProfile(stores, aProfile());
    await stores.profiles.remove(profile.id, () => noEffects);
    strictEqual(await stores.profiles.find(profile.id), null);
    strictEqual(await stores.profiles.findByEmail(profile.email), null);
    strictEqual(await stores.callers.byUid(profile.uid, null, start), null);
    ok(profile.clientId);
    strictEqual(await stores.callers.byClientId(profile.clientId, null, start), null);
    deepStrictEqual(await stores.profiles.list(), [other]);
  },

  'a removal removes the grants of the profile, and of no other': async (stores) => {
    const [removed, remaining] = [await addProfile(stores, aProfile()), await addProfile(stores, aProfile())];
    const { id } = await addCollection(stores);
    for (const profile of [removed, remaining]) {
      await grantToClient(stores.grants, profile.id, id, () => ({ grantedAt: start, ...noEffects }));
    }
    await stores.profiles.remove(removed.id, () => noEffects);
    await addProfile(stores, removed);
    deepStrictEqual(await stores.grants.clientsOf(id, start), [{ profile: remaining, ways: [ownWay(start)] }]);
  },

  'a removal removes the key of the profile, and of no other': async (stores) => {
    const [removed, remaining] = [await addProfile(stores, aProfile()), await addProfile(stores, aProfile())];
    for (const { id } of [removed, remaining]) await stores.profiles.update(id, changing({ key: aKey() }));
    await stores.profiles.remove(removed.id, () => noEffects);
    await addProfile(stores, removed);
    strictEqual((await rowOf(stores, removed)).key, null);
    deepStrictEqual((await rowOf(stores, remaining)).key, aKey());
  },

  'a removal removes the overrides of the profile, and of no other': async (stores) => {
    const [removed, remaining] = [await addProfile(stores, aProfile()), await addProfile(stores, aProfile())];
    await stores.limits.addOverride(removed.id, adding(anOverride({ isActive: false })));
    await stores.limits.addOverride(removed.id, adding(anOverride()));
    const other = await stores.limits.addOverride(remaining.id, adding(anOverride()));
    await stores.profiles.remove(removed.id, () => noEffects);
    deepStrictEqual(await stores.limits.overrides(false), [other]);
  },

  'a removal removes the unsent mails to the profile, and no other job': async (stores) => {
    const [removed, remaining] = [await addProfile(stores, aProfile()), await addProfile(stores, aProfile())];
    const rejection = aJob({ task: { kind: 'mail.rejection', profileId: removed.id, reason: null } });
    const others = [aMailJob(remaining.id), aNotice(remaining.id), aJob()];
    await stores.embeddingJobs.enqueue(jobsOnly(aMailJob(removed.id), rejection, aNotice(removed.id), ...others));
    await stores.profiles.remove(removed.id, () => noEffects);
    await assertWritten(stores, jobsOnly(...others));
  },

  'a removal keeps the collections the profile created and the entries it wrote': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const collection = await addCollection(stores, { createdBy: profile.id });
    const entry = anEntry({ actorId: profile.id });
    await stores.audit.append(entry, null);
    await stores.profiles.remove(profile.id, () => noEffects);
    deepStrictEqual(await stores.collections.find(collection.id), collection);
    deepStrictEqual((await stores.audit.page({ source: 'all' }, 0, 9)).entries, [entry]);
  },

  'a removal decides on the profile, its key and all admins, including itself': async (stores) => {
    const profile = await addProfile(stores, anAdmin());
    await stores.profiles.update(profile.id, changing({ key: aKey() }));
    const other = await addProfile(stores, anAdmin());
    let seen: ProfileState | null = null;
    await stores.profiles.remove(profile.id, (state) => {
      seen = state;
      return noEffects;
    });
    deepStrictEqual(seen, { profile, key: aKey(), admins: [profile, other] });
  },

  'a removal writes its effects': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const effects = someEffects();
    await stores.profiles.remove(profile.id, () => effects);
    await assertWritten(stores, effects);
  },

  'a removal rethrows an error from the decision and changes nothing': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    const mail = jobsOnly(aMailJob(profile.id));
    await stores.profiles.update(profile.id, changing({ key: aKey(), ...mail }));
    await assertRejects(stores.profiles.remove(profile.id, failDecision), 'already_approved');
    deepStrictEqual((await rowOf(stores, profile)).key, aKey());
    await assertWritten(stores, mail);
  },

  'a removal of a missing profile throws before the decision': async (stores) => {
    await addProfile(stores, aProfile());
    await assertRejects(stores.profiles.remove(nextId(), failDecision), 'user_not_found');
  },

  'of concurrent removals of all admins, exactly one is rejected': async (stores) => {
    const admins = await addAdmins(stores, 20);
    const outcomes = await Promise.allSettled(
      admins.map(({ id }) => stores.profiles.remove(id, (state) => (requireOtherAdmin(state), noEffects))),
    );
    strictEqual(outcomes.filter(({ status }) => status === 'rejected').length, 1);
    strictEqual(await countAdmins(stores), 1);
  },

  'the e-mail and the uid of a removed profile can be used again': async (stores) => {
    const { id, email, uid } = await addProfile(stores, aProfile());
    await stores.profiles.remove(id, () => noEffects);
    const next = await addProfile(stores, aProfile({ email, uid }));
    deepStrictEqual(await stores.profiles.list(), [next]);
  },

  'a claim matches by uid rather than by e-mail': async (stores) => {
    const byEmail = await addProfile(stores, aProfile());
    const byUid = await addProfile(stores, aProfile());
    deepStrictEqual(await seenByClaim(stores, byUid.uid, byEmail.email), { admins: [], match: byUid });
  },

  'a claim matches by e-mail if no profile has the uid': async (stores) => {
    const profile = await addProfile(stores, aProfile());
    deepStrictEqual(await seenByClaim(stores, 'nobody', profile.email), { admins: [], match: profile });
  },

  'a claim sees the admins, and null if no profile matches': async (stores) => {
    await addProfile(stores, aProfile());
    const admins = await addAdmins(stores, 2);
    deepStrictEqual(await seenByClaim(stores, 'nobody', 'nobody@example.com'), { admins, match: null });
  },

  'a claim adds the profile it decides on, writes its effects and returns the profile': async (stores) => {
    const admin = anAdmin();
    const effects = someEffects();
    deepStrictEqual(await stores.profiles.claimAdmin(admin, () => ({ profile: admin, ...effects })), admin);
    deepStrictEqual(await stores.profiles.list(), [admin]);
    await assertWritten(stores, effects);
  },

  'a claim replaces the match with the profile it decides on, and keeps its key': async (stores) => {
    const before = await addProfile(stores, aProfile());
    await stores.profiles.update(before.id, changing({ key: aKey() }));
    const admin = { ...before, role: 'admin', updatedAt: before.updatedAt + 1 } as Profile;
    deepStrictEqual(await stores.profiles.claimAdmin(before, () => ({ profile: admin, ...noEffects })), admin);
    deepStrictEqual(await stores.profiles.list(), [admin]);
    deepStrictEqual((await rowOf(stores, admin)).key, aKey());
  },

  'a claim whose decision is null changes nothing': async (stores) => {
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

  'of concurrent claims on an empty store, exactly one sees no admin': async (stores) => {
    await assertOneWins((index) => {
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

const addCollection = async (stores: Stores, facts = {}) => {
  const collection = aCollection(facts);
  await stores.collections.add(collection, aContent(), noEffects);
  return collection;
};

/** Returns a decision whose only change is this one. */
const changing =
  (change: Partial<ProfileChange> = {}) =>
  ({ profile, key }: ProfileState): ProfileChange => ({ profile, key, ...noEffects, ...change });

const requireOtherAdmin = ({ admins }: ProfileState): void => {
  if (admins.length < 2) throw new PorticoError('last_admin');
};

const demote = (state: ProfileState): ProfileChange => {
  requireOtherAdmin(state);
  return changing({ profile: { ...state.profile, role: 'client', updatedAt: endOfTime } })(state);
};

const countAdmins = async ({ profiles }: Stores): Promise<number> =>
  (await profiles.list()).filter(({ role }) => role === 'admin').length;

const seenByClaim = async ({ profiles }: Stores, uid: string, email: string) => {
  let seen: { readonly admins: readonly Profile[]; readonly match: Profile | null } | null = null;
  await profiles.claimAdmin({ uid, email }, (state) => {
    seen = state;
    return null;
  });
  return seen;
};
