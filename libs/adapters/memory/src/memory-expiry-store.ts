import { dayMs, type Expiry, type ExpirySpan, type ExpiryStore, type Profile } from '@portico/domain';
import { byCodePoints, commit, type MemoryDatabase } from './memory-database.ts';
import { waysOf } from './memory-memberships.ts';

export const createMemoryExpiryStore = (database: MemoryDatabase): ExpiryStore => ({
  async ofProfile(id, span, limit) {
    const profile = database.profiles.get(id);
    return soonest(profile ? endsOf(database, profile, span) : [], limit);
  },

  async ofAll(span, limit) {
    return soonest(
      [...database.profiles.values()].flatMap((profile) => endsOf(database, profile, span)),
      limit,
    );
  },

  async announce(today, noticeDays, now, decide) {
    const last = database.expiriesAnnouncedDay ?? today - 1;
    if (last >= today) return false;
    const spans = noticeDays.map((days) => ({
      after: Math.max(now, (last + days + 1) * dayMs - 1),
      until: (today + days + 1) * dayMs - 1,
    }));
    const found = [...database.profiles.values()].filter((profile) =>
      spans.some((span) => endsOf(database, profile, span).length > 0),
    );
    const effects = decide(found.map(({ id }) => id).sort(byCodePoints));
    commit(database, effects, () => {
      database.expiriesAnnouncedDay = today;
    });
    return true;
  },
});

const endsOf = (database: MemoryDatabase, profile: Profile, { after, until }: ExpirySpan): readonly Expiry[] => {
  if (profile.role !== 'client' || profile.status !== 'approved' || profile.suspendedAt !== null) return [];
  const keyEnd = database.keys.get(profile.id)?.expiresAt ?? null;
  const ofKey = keyEnd === null ? [] : [{ collection: null, group: null, expiresAt: keyEnd }];
  const ofGrants = [...waysOf(database, profile.id)].flatMap(([id, ways]) =>
    ways.flatMap(({ group, expiresAt }) =>
      expiresAt === null
        ? []
        : [{ collection: database.collections.get(id)?.name ?? null, group: group?.name ?? null, expiresAt }],
    ),
  );
  return [...ofKey, ...ofGrants]
    .filter(({ expiresAt }) => expiresAt > after && expiresAt <= until)
    .map((end) => ({ email: profile.email, ...end }));
};

const soonest = (ends: readonly Expiry[], limit: number) => ({
  total: ends.length,
  first: [...ends].sort(inOrder).slice(0, limit),
});

const inOrder = (a: Expiry, b: Expiry): number =>
  a.expiresAt - b.expiresAt ||
  byCodePoints(a.email, b.email) ||
  byCodePoints(a.collection ?? '', b.collection ?? '') ||
  byCodePoints(a.group ?? '', b.group ?? '');
