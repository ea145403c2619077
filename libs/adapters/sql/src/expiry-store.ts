import { dayMs, type Expiry, type ExpiryWindow, type ExpiryStore, type Instant, type ProfileId } from '@portico/domain';
import { writeEffects } from './effects.ts';
import { allMembers } from './memberships.ts';
import type { Sql, SqlDatabase, Value } from './sql.ts';

export const createSqlExpiryStore = (database: SqlDatabase): ExpiryStore => ({
  async listByProfile(profile, window, limit) {
    return readSoonest(database.reads, 'and p.id = ?', [profile], window, limit);
  },

  async listAll(window, limit) {
    return readSoonest(database.reads, '', [], window, limit);
  },

  async scheduleNotices(today, noticeDays, now, decide) {
    return database.transact(async (transaction) => {
      const row = await transaction.first<{ value: string }>(selectAnnouncedDay, [announcedDayName]);
      const lastAnnouncedDay = row ? Number(row.value) : today - 1;
      if (lastAnnouncedDay >= today) return false;
      const profileIds = new Set<ProfileId>();
      for (const days of noticeDays) {
        const rows = await transaction.all<{ id: ProfileId }>(
          selectProfiles,
          parametersOf(windowOf(lastAnnouncedDay, today, days, now), []),
        );
        for (const { id } of rows) profileIds.add(id);
      }
      const effects = decide([...profileIds].sort());
      await transaction.run(putAnnouncedDay, [announcedDayName, String(today)]);
      await writeEffects(transaction, effects);
      return true;
    });
  },
});

/** The name of the setting that contains the last announced day. */
const announcedDayName = 'expiries_announced_day';

/**
 * Returns the window of the expiries that are `days` days after one of the days from `lastAnnouncedDay` (exclusive) to `today`
 * (inclusive).
 */
const windowOf = (lastAnnouncedDay: number, today: number, days: number, now: Instant): ExpiryWindow => ({
  after: Math.max(now, (lastAnnouncedDay + days + 1) * dayMs - 1),
  until: (today + days + 1) * dayMs - 1,
});

const readSoonest = async (
  sql: Sql,
  condition: string,
  parameters: readonly Value[],
  window: ExpiryWindow,
  limit: number,
): Promise<{ total: number; expiries: readonly Expiry[] }> => {
  const expiries = selectExpiries(condition);
  const allParameters = parametersOf(window, parameters);
  const count = await sql.first<{ total: number }>(`select count(*) as total from (${expiries}) x`, allParameters);
  const soonestExpiries = await sql.all<Expiry>(
    `select x.email, x.collection, x.group_name as "group", x.expires_at as "expiresAt" from (${expiries}) x
      order by x.expires_at, x.email, x.collection is not null, x.collection, x.group_name is not null, x.group_name limit ?`,
    [...allParameters, limit],
  );
  return { total: count?.total ?? 0, expiries: soonestExpiries };
};

/**
 * Returns SQL that selects the expiries within a window, for the profiles that match a condition. The parameters are
 * `parametersOf()`.
 */
const selectExpiries = (condition: string): string => `
  select p.id, p.email, null as collection_id, null as collection, null as group_name, p.key_expires_at as expires_at
    from profiles p where p.key_expires_at > ? and p.key_expires_at <= ? and p.key_hash is not null and ${isActive} ${condition}
  union all select p.id, p.email, c.id as collection_id, c.name as collection, null as group_name, g.expires_at
    from grants g join profiles p on p.id = g.profile_id join collections c on c.id = g.collection_id
    where g.expires_at > ? and g.expires_at <= ? and ${isActive} ${condition}
  union all select distinct p.id, p.email, c.id as collection_id, c.name as collection, r.name as group_name, g.expires_at
    from group_grants g join access_groups r on r.id = g.group_id join (${allMembers}) m on m.group_id = r.id
    join profiles p on p.id = m.profile_id join collections c on c.id = g.collection_id
    where g.expires_at > ? and g.expires_at <= ? and ${isActive} ${condition}`;

const isActive = `p.role = 'client' and p.status = 'approved' and p.suspended_at is null`;

const parametersOf = ({ after, until }: ExpiryWindow, parameters: readonly Value[]): readonly Value[] =>
  [1, 2, 3].flatMap(() => [after, until, ...parameters]);

const selectProfiles = `select distinct x.id from (${selectExpiries('')}) x`;
const selectAnnouncedDay = 'select value from settings where name = ?';
const putAnnouncedDay = `insert into settings (name, value) values (?, ?)
  on conflict (name) do update set value = excluded.value`;
