import { aProfile, noEffects, profileStoreContract, type Sabotages, type Stores } from '@portico/contracts';
import { PorticoError, type Profile, type ProfileState } from '@portico/domain';
import { describe } from 'vitest';
import { breaking, hushed, leaking, pause, silently } from '../test/breaking.ts';
import { proveContract } from '../test/prove-contract.ts';
import { commit, kept, type MemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

const unchanged = ({ profile, key }: ProfileState) => ({ profile, key, ...noEffects });

const adminsIn = ({ profiles }: MemoryDatabase) => [...profiles.values()].filter(({ role }) => role === 'admin');

const stateIn = (database: MemoryDatabase, id: ReturnType<typeof aProfile>['id']): ProfileState => {
  const profile = database.profiles.get(id);
  if (!profile) throw new PorticoError('user_not_found');
  return { profile, key: database.keys.get(id) ?? null, admins: adminsIn(database) };
};

/** An update that decides on stale state. */
const staleUpdate = breaking('profiles', (right, _stores, database) => ({
  update: async (id, decide) => {
    const change = decide(stateIn(database, id));
    await pause();
    return right.update(id, () => change);
  },
}));

/** An update that does not check the tier. */
const assigningAnyTier = breaking('profiles', (right, _stores, database) => ({
  update: async (id, decide) => {
    const change = decide(stateIn(database, id));
    database.profiles.set(id, kept(change.profile));
    return change.profile;
  },
}));

const staleRemoval = breaking('profiles', (right, _stores, database) => ({
  remove: async (id, decide) => {
    const effects = decide(stateIn(database, id));
    await pause();
    return right.remove(id, () => effects);
  },
}));

/** An addition that checks first and writes a moment later. */
const staleAddition = breaking('profiles', (right, _stores, { profiles }) => ({
  add: async (profile) => {
    const list = await right.list();
    if (list.some(({ email }) => email === profile.email)) throw new PorticoError('email_taken');
    if (list.some(({ uid }) => uid === profile.uid)) throw new PorticoError('identity_taken');
    await pause();
    profiles.set(profile.id, profile);
  },
}));

/** A removal that leaves something behind. */
const leaving = (leave: (database: MemoryDatabase, id: ReturnType<typeof aProfile>['id']) => () => void) =>
  breaking('profiles', (right, _stores, database) => ({
    remove: async (id, decide) => {
      const restore = leave(database, id);
      await right.remove(id, decide);
      restore();
    },
  }));

const sabotages: Sabotages<typeof profileStoreContract, Stores> = {
  'an added profile is found as it was given': breaking('profiles', (right) => ({
    find: async (id) => {
      const profile = await right.find(id);
      return profile && { ...profile, companyName: profile.companyName ?? '' };
    },
  })),
  'an addition writes its effects': breaking('profiles', (right) => ({
    add: (profile) => right.add(profile, noEffects),
  })),
  'a taken e-mail is refused as such, and nothing is written': breaking('profiles', (right, stores) => ({
    add: (profile, effects) => leaking(stores, right.add(profile, effects)),
  })),
  'a taken uid is refused as such, and nothing is written': breaking('profiles', (right, _stores, database) => ({
    add: (profile, effects) => {
      commit(database, effects, () => undefined);
      return right.add(profile, noEffects);
    },
  })),
  'if both e-mail and uid are taken, the e-mail is refused': breaking('profiles', (right) => ({
    add: async (profile, effects) => {
      if ((await right.list()).some(({ uid }) => uid === profile.uid)) throw new PorticoError('identity_taken');
      return right.add(profile, effects);
    },
  })),
  'of concurrent additions of one e-mail, exactly one succeeds': staleAddition,
  'of concurrent additions of one uid, exactly one succeeds': staleAddition,
  'an unknown id finds no profile': breaking('profiles', (right) => ({
    find: async (id) => (await right.find(id)) ?? (await right.list())[0] ?? null,
  })),
  'an e-mail is found however its mailbox is written': breaking('profiles', (right) => ({
    findByEmail: async (email) => (await right.list()).find((profile) => profile.email === email) ?? null,
  })),
  'an unknown e-mail finds nothing': breaking('profiles', (right) => ({
    findByEmail: async (email) => (await right.list()).find((profile) => profile.email.includes(email)) ?? null,
  })),
  'profiles are listed oldest first': breaking('profiles', (_right, _stores, { profiles }) => ({
    list: async () => [...profiles.values()],
  })),
  'profiles created at the same instant are ordered by id': breaking('profiles', (_right, _stores, { profiles }) => ({
    list: async () => [...profiles.values()].sort((a, b) => a.createdAt - b.createdAt),
  })),
  'only admins are listed as admins, oldest first, ties by id': breaking('profiles', (_right, _stores, database) => ({
    admins: async () => adminsIn(database),
  })),
  'pending profiles are counted, and listed newest first up to the limit': breaking('profiles', (right) => ({
    pending: async (limit) => {
      const { newest } = await right.pending(limit);
      return { total: newest.length, newest };
    },
  })),
  'an update decides on the profile, its key and the admins': breaking('profiles', (right) => ({
    update: (id, decide) => right.update(id, (state) => decide({ ...state, admins: state.admins.slice(0, 1) })),
  })),
  'an update stores the profile and its key, and returns the stored profile': breaking('profiles', (right) => ({
    update: async (id, decide) => {
      const before = await right.find(id);
      const after = await right.update(id, decide);
      return before ?? after;
    },
  })),
  'since when a profile is suspended is kept, by an addition and by an update': breaking('profiles', (right) => ({
    update: (id, decide) =>
      right.update(id, (state) => {
        const change = decide(state);
        return { ...change, profile: { ...change.profile, suspendedAt: state.profile.suspendedAt } };
      }),
  })),
  'the end of a key is kept': breaking('profiles', (right) => ({
    update: (id, decide) =>
      right.update(id, (state) => {
        const change = decide(state);
        return { ...change, key: change.key && { ...change.key, expiresAt: null } };
      }),
  })),
  'an update whose key is null removes the key': breaking('profiles', (right) => ({
    update: (id, decide) =>
      right.update(id, (state) => {
        const change = decide(state);
        return { ...change, key: change.key ?? state.key };
      }),
  })),
  'an update writes its effects': breaking('profiles', (right) => ({
    update: (id, decide) => right.update(id, silently(decide)),
  })),
  'an update rethrows what its decision throws, and leaves everything as it was': breaking(
    'profiles',
    (right, stores) => ({ update: (id, decide) => leaking(stores, right.update(id, decide)) }),
  ),
  'an update of a missing profile is refused before the decision': breaking('profiles', (right) => ({
    update: async (id, decide) => {
      const [other] = await right.list();
      return right.update((await right.find(id)) ? id : (other?.id ?? id), decide);
    },
  })),
  'concurrent updates of one profile each see the one before': staleUpdate,
  'of concurrent demotions of all admins, exactly one is refused': staleUpdate,
  'an update cannot give a profile the e-mail or the uid of another': breaking(
    'profiles',
    (right, _stores, database) => ({
      update: async (id, decide) => {
        const change = decide(stateIn(database, id));
        database.profiles.set(id, kept(change.profile));
        return right.update(id, () => change);
      },
    }),
  ),
  'an update cannot give a profile a missing tier': assigningAnyTier,
  'no profile keeps a tier that is removed while it is assigned': assigningAnyTier,
  'a removed profile is not found in any way': leaving((database, id) => {
    const profile = database.profiles.get(id);
    return () => profile && database.profiles.set(id, profile);
  }),
  'a removal removes the grants of the profile, and of no other': leaving((database, id) => {
    const granted = database.grants.get(id);
    return () => granted && database.grants.set(id, granted);
  }),
  'a removal removes the key of the profile, and of no other': leaving((database, id) => {
    const key = database.keys.get(id);
    return () => key && database.keys.set(id, key);
  }),
  'a removal removes the overrides of the profile, and of no other': leaving((database, id) => {
    const inactive = [...database.overrides].filter(
      ([, { profile, override }]) => profile === id && !override.isActive,
    );
    return () => inactive.forEach(([key, owned]) => database.overrides.set(key, owned));
  }),
  'a removal removes the unsent mails to the profile, and no other job': leaving(({ jobs }) => {
    const rejections = [...jobs].filter(([, { job }]) => job.task.kind === 'mail.rejection');
    return () => rejections.forEach(([key, stored]) => jobs.set(key, stored));
  }),
  'a removal keeps the collections the profile created and the entries it wrote': leaving((database, id) => () => {
    database.entries = database.entries.filter(({ actorId }) => actorId !== id);
  }),
  'a removal decides on the profile, its key and all admins, itself included': breaking('profiles', (right) => ({
    remove: (id, decide) =>
      right.remove(id, (state) => decide({ ...state, admins: state.admins.filter((admin) => admin.id !== id) })),
  })),
  'a removal writes its effects': breaking('profiles', (right) => ({
    remove: (id, decide) => right.remove(id, silently(decide)),
  })),
  'a removal rethrows what its decision throws, and keeps everything': breaking(
    'profiles',
    (right, _stores, database) => ({
      remove: (id, decide) => {
        database.jobs.clear();
        return right.remove(id, decide);
      },
    }),
  ),
  'a removal of a missing profile is refused before the decision': breaking('profiles', (right) => ({
    remove: (id, decide) => hushed(right.remove(id, decide), undefined),
  })),
  'of concurrent removals of all admins, exactly one is refused': staleRemoval,
  'the e-mail and the uid of a removed profile are free again': leaving((database, id) => {
    const profile = database.profiles.get(id);
    const ghost = aProfile();
    return () => profile && database.profiles.set(ghost.id, { ...ghost, createdAt: 0, uid: `${profile.uid} (gone)` });
  }),
  'a claim matches by uid rather than by e-mail': breaking('profiles', (right) => ({
    claimAdmin: async (identity, decide) => {
      const match = await right.findByEmail(identity.email);
      return right.claimAdmin(identity, (state) => decide({ ...state, match: match ?? state.match }));
    },
  })),
  'a claim matches by e-mail if no profile has the uid': breaking('profiles', (right) => ({
    claimAdmin: (identity, decide) => right.claimAdmin({ ...identity, email: 'nobody' }, decide),
  })),
  'a claim sees the admins, and null if no profile matches': breaking('profiles', (right) => ({
    claimAdmin: (identity, decide) =>
      right.claimAdmin(identity, (state) => decide({ ...state, admins: state.admins.slice(0, 1) })),
  })),
  'a claim adds the profile it decides on, writes its effects and returns the profile': breaking(
    'profiles',
    (right) => ({
      claimAdmin: (identity, decide) =>
        right.claimAdmin(identity, (state) => {
          const change = decide(state);
          return change && { ...change, ...noEffects };
        }),
    }),
  ),
  'a claim stores the profile it decides on in place of the match, which keeps its key': breaking(
    'profiles',
    (right, _stores, database) => ({
      claimAdmin: async (identity, decide) => {
        const admin = await right.claimAdmin(identity, decide);
        if (admin) database.keys.delete(admin.id);
        return admin;
      },
    }),
  ),
  'a claim whose decision is null changes nothing': breaking('profiles', (right, stores) => ({
    claimAdmin: async (identity, decide) => {
      const answer = await right.claimAdmin(identity, decide);
      const profile = await stores.profiles.findByEmail(identity.email);
      if (profile)
        await right.update(profile.id, (state) => ({
          ...unchanged(state),
          profile: { ...profile, role: 'admin' } as Profile,
        }));
      return answer;
    },
  })),
  'a claim rethrows what its decision throws, and changes nothing': breaking('profiles', (right, stores) => ({
    claimAdmin: (identity, decide) => leaking(stores, right.claimAdmin(identity, decide)),
  })),
  'of concurrent claims on an empty store, exactly one sees no admin': breaking(
    'profiles',
    (right, _stores, database) => ({
      claimAdmin: async (identity, decide) => {
        const change = decide({ admins: adminsIn(database), match: null });
        await pause();
        return right.claimAdmin(identity, () => change);
      },
    }),
  ),
};

describe('the memory profile store', () => {
  proveContract(profileStoreContract, sabotages, createMemoryStores);
});
