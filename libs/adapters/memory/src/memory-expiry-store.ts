import { dayMs, type Expiry, type ExpiryWindow, type ExpiryStore, type Profile } from '@portico/domain';
import { byCodePoints, commit, type MemoryDatabase } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';

export const createMemoryExpiryStore = (database: MemoryDatabase): ExpiryStore => ({
  async ofProfile(id, span, limit) {
    const profile = database.profiles.get(id);
    return soonest(profile ? expiriesOf(database, profile, span) : [], limit);
  },

  async ofAll(span, limit) {
    return soonest(
      [...database.profiles.values()].flatMap((profile) => expiriesOf(database, profile, span)),
      limit,
    );
  },

  async scheduleNotices(today, noticeDays, now, decide) {
    const last = database.expiriesAnnouncedDay ?? today - 1;
    if (last >= today) return false;
    const spans = noticeDays.map((days) => ({
      after: Math.max(now, (last + days + 1) * dayMs - 1),
      until: (today + days + 1) * dayMs - 1,
    }));
    const profiles = [...database.profiles.values()].filter((profile) =>
      spans.some((span) => expiriesOf(database, profile, span).length > 0),
    );
    const effects = decide(profiles.map(({ id }) => id).sort(byCodePoints));
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
  const grantExpiries = [...waysOf(database, profile.id)].flatMap(([id, ways]) =>
    ways.flatMap(({ group, expiresAt }) =>
      expiresAt === null
        ? []
        : [{ collection: database.collections.get(id)?.name ?? null, group: group?.name ?? null, expiresAt }],
    ),
  );
  return [...keyExpiries, ...grantExpiries]
    .filter(({ expiresAt }) => expiresAt > after && expiresAt <= until)
    .map((expiry) => ({ email: profile.email, ...expiry }));
};

const soonest = (expiries: readonly Expiry[], limit: number) => ({
  total: expiries.length,
  first: [...expiries].sort(compareExpiries).slice(0, limit),
});

const compareExpiries = (a: Expiry, b: Expiry): number =>
  a.expiresAt - b.expiresAt ||
  byCodePoints(a.email, b.email) ||
  byCodePoints(a.collection ?? '', b.collection ?? '') ||
  byCodePoints(a.group ?? '', b.group ?? '');
