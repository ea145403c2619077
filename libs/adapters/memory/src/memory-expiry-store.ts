import { dayMs, type Expiry, type ExpiryWindow, type ExpiryStore, type Profile } from '@portico/domain';
import { compareCodePoints, commit, type MemoryDatabase } from './memory-database.ts';
import { accessGrantsOf } from './memory-memberships.ts';

export const createMemoryExpiryStore = (database: MemoryDatabase): ExpiryStore => ({
  async listByProfile(id, window, limit) {
    const profile = database.profiles.get(id);
    return selectSoonest(profile ? expiriesOf(database, profile, window) : [], limit);
  },

  async listAll(window, limit) {
    return selectSoonest(
      [...database.profiles.values()].flatMap((profile) => expiriesOf(database, profile, window)),
      limit,
    );
  },

  async scheduleNotices(today, noticeDays, now, decide) {
    const lastAnnouncedDay = database.expiriesAnnouncedDay ?? today - 1;
    if (lastAnnouncedDay >= today) return false;
    const windows = noticeDays.map((days) => ({
      after: Math.max(now, (lastAnnouncedDay + days + 1) * dayMs - 1),
      until: (today + days + 1) * dayMs - 1,
    }));
    const profiles = [...database.profiles.values()].filter((profile) =>
      windows.some((window) => expiriesOf(database, profile, window).length > 0),
    );
    const effects = decide(profiles.map(({ id }) => id).sort(compareCodePoints));
    commit(database, effects, () => {
      database.expiriesAnnouncedDay = today;
    });
    return true;
  },
});

const expiriesOf = (database: MemoryDatabase, profile: Profile, { after, until }: ExpiryWindow): readonly Expiry[] => {
  if (profile.role !== 'client' || profile.status !== 'approved' || profile.suspendedAt !== null) return [];
  const keyExpiry = database.keys.get(profile.id)?.expiresAt ?? null;
  const keyExpiries = keyExpiry === null ? [] : [{ collection: null, group: null, expiresAt: keyExpiry }];
  const grantExpiries = [...accessGrantsOf(database, profile.id)].flatMap(([id, grants]) =>
    grants.flatMap(({ group, expiresAt }) =>
      expiresAt === null
        ? []
        : [{ collection: database.collections.get(id)?.name ?? null, group: group?.name ?? null, expiresAt }],
    ),
  );
  return [...keyExpiries, ...grantExpiries]
    .filter(({ expiresAt }) => expiresAt > after && expiresAt <= until)
    .map((expiry) => ({ email: profile.email, ...expiry }));
};

const selectSoonest = (expiries: readonly Expiry[], limit: number) => ({
  total: expiries.length,
  expiries: [...expiries].sort(compareExpiries).slice(0, limit),
});

const compareExpiries = (a: Expiry, b: Expiry): number =>
  a.expiresAt - b.expiresAt ||
  compareCodePoints(a.email, b.email) ||
  compareCodePoints(a.collection ?? '', b.collection ?? '') ||
  compareCodePoints(a.group ?? '', b.group ?? '');
