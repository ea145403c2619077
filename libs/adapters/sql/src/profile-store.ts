import { toEmailKey, PorticoError } from '@portico/domain';
import type { Profile, ProfileId, ProfileState, ProfileStore } from '@portico/domain';
import { writeEffects } from './effects.ts';
import {
  insertProfile,
  keyColumns,
  keyOf,
  profileColumns,
  profileOf,
  toProfileRow,
  updateProfile,
} from './profile-record.ts';
import type { KeyColumns, ProfileColumns } from './profile-record.ts';
import { countProfiles, selectProfiles } from './profile-selection.ts';
import type { SqlDatabase, Sql } from './sql.ts';
import { buildColumns, write } from './table.ts';

export const createSqlProfileStore = (database: SqlDatabase): ProfileStore => ({
  async add(profile, effects) {
    await database.transact(async (transaction) => {
      await translateTaken(database, profile, () => insert(transaction, profile));
      await writeEffects(transaction, effects);
    }, effects.deadline);
  },

  async find(id) {
    return findProfile(database.reads, id);
  },

  async findByEmail(email) {
    const row = await database.reads.first<ProfileColumns>(selectByEmail, toEmailParameters(email));
    return row ? profileOf(row) : null;
  },

  async list() {
    return (await database.reads.all<ProfileColumns>(selectAll)).map(profileOf);
  },

  select: (filter, page) => selectProfiles(database, filter, page),

  count: (filter) => countProfiles(database, filter),

  async listAdmins() {
    return readAdmins(database.reads);
  },

  async readPending(limit) {
    const count = await database.reads.first<{ total: number }>(countPending);
    const newestRows = await database.reads.all<ProfileColumns>(selectPending, [limit]);
    return { total: count?.total ?? 0, newest: newestRows.map(profileOf) };
  },

  ...createChanges(database),
});

const createChanges = (database: SqlDatabase): Pick<ProfileStore, 'update' | 'remove' | 'claimAdmin'> => ({
  async update(id, decide) {
    return database.transact(async (transaction) => {
      const current = await load(transaction, id);
      const change = decide({ ...current, admins: await readAdmins(transaction) });
      const profile = { ...change.profile, id };
      await rejectUnknownTier(transaction, current.profile, profile);
      await translateTaken(database, profile, () =>
        write(transaction, updateProfile, toProfileRow(profile, change.key)),
      );
      await writeEffects(transaction, change);
      return change.profile;
    });
  },

  async remove(id, decide) {
    await database.transact(async (transaction) => {
      const state = { ...(await load(transaction, id)), admins: await readAdmins(transaction) };
      const effects = decide(state);
      // The foreign keys also delete the profile's grants and overrides.
      await transaction.run(remove, [id]);
      await transferEmailKey(transaction, state.profile);
      await transaction.run(deleteMails, [id]);
      await writeEffects(transaction, effects);
    });
  },

  async claimAdmin({ uid, email }, decide) {
    return database.transact(async (transaction) => {
      const row =
        (await transaction.first<StateColumns>(selectStateByUid, [uid])) ??
        (await transaction.first<StateColumns>(selectStateByEmail, toEmailParameters(email)));
      const change = decide({ admins: await readAdmins(transaction), match: row ? profileOf(row) : null });
      if (!change) return null;
      const { profile } = change;
      await translateTaken(database, profile, () =>
        row?.id === profile.id
          ? write(transaction, updateProfile, toProfileRow(profile, keyOf(row)))
          : insert(transaction, profile),
      );
      await writeEffects(transaction, change);
      return profile;
    });
  },
});

type StateColumns = ProfileColumns & KeyColumns;

/** Returns the profile, or null if it does not exist. */
export const findProfile = async (sql: Sql, id: ProfileId): Promise<Profile | null> => {
  const row = await sql.first<ProfileColumns>(selectById, [id]);
  return row ? profileOf(row) : null;
};

const profiles = `select ${buildColumns('p', profileColumns)} from profiles p`;
const profilesWithKeys = `select ${buildColumns('p', [...profileColumns, ...keyColumns])} from profiles p`;
const selectAll = `${profiles} order by p.created_at, p.id`;
const selectById = `${profiles} where p.id = ?`;
/**
 * An earlier version may have stored several profiles with the same mailbox: `findByEmail` specifies which one is
 * chosen.
 */
const hasEmail = `where (p.email in (?, ?) or p.email_key = ?)
  order by case when p.email = ? then 0 when p.email_key = ? then 1 else 2 end, p.created_at, p.id limit 1`;
export const toEmailParameters = (email: string): readonly (string | null)[] => {
  const key = toEmailKey(email);
  return [email, key, key, email, key];
};
export const selectIdByEmail = `select p.id from profiles p ${hasEmail}`;
const selectByEmail = `${profiles} ${hasEmail}`;
const selectAdmins = `${profiles} where p.role = 'admin' order by p.created_at, p.id`;
const countPending = `select count(*) as total from profiles where status = 'pending'`;
const selectPending = `${profiles} where p.status = 'pending'
  order by p.created_at desc, p.id desc limit ?`;
const selectState = `${profilesWithKeys} where p.id = ?`;
const selectStateByUid = `${profilesWithKeys} where p.uid = ?`;
const selectStateByEmail = `${profilesWithKeys} ${hasEmail}`;
const remove = 'delete from profiles where id = ?';
const selectTier = 'select tier from tiers where tier = ?';
const selectKeyless = `select p.id, p.email from profiles p where p.email_key is null order by p.created_at, p.id`;
const assignEmailKey = `update profiles set email_key = ?
  where id = ? and not exists (select 1 from profiles h where h.email_key = ?)`;
const deleteMails = 'delete from jobs where profile_id = ?';

const insert = (sql: Sql, profile: Profile): Promise<number> =>
  write(sql, insertProfile, { ...toProfileRow(profile, null), grantsEpoch: 0 });

const load = async (sql: Sql, id: ProfileId): Promise<Pick<ProfileState, 'profile' | 'key'>> => {
  const row = await sql.first<StateColumns>(selectState, [id]);
  if (!row) throw new PorticoError('user_not_found');
  return { profile: profileOf(row), key: keyOf(row) };
};

/**
 * Passes the email key of a removed profile to the oldest other profile with the same mailbox, unless one already has
 * it.
 */
const transferEmailKey = async (sql: Sql, removedProfile: Profile): Promise<void> => {
  const key = toEmailKey(removedProfile.email);
  if (key === null) return;
  const keylessProfile = await sql.all<Pick<Profile, 'id' | 'email'>>(selectKeyless);
  const next = keylessProfile.find(({ email }) => toEmailKey(email) === key);
  if (next) await sql.run(assignEmailKey, [key, next.id, key]);
};

const readAdmins = async (sql: Sql): Promise<readonly Profile[]> =>
  (await sql.all<ProfileColumns>(selectAdmins)).map(profileOf);

const rejectUnknownTier = async (sql: Sql, currentProfile: Profile, { tier }: Profile): Promise<void> => {
  if (tier !== null && tier !== currentProfile.tier && !(await sql.first(selectTier, [tier])))
    throw new PorticoError('tier_not_found');
};

/**
 * Translates a uniqueness violation of this profile's email address or uid. If both are taken, the database may report
 * either. The email address takes precedence, so it is checked again.
 */
const translateTaken = async (
  database: SqlDatabase,
  profile: Profile,
  store: () => Promise<unknown>,
): Promise<void> => {
  try {
    await store();
  } catch (cause) {
    const key = database.findViolatedKey(cause);
    if (key === 'profiles.email' || key === 'profiles.email_key') throw new PorticoError('email_taken', { cause });
    if (key === 'profiles.uid') {
      throw new PorticoError((await isEmailTaken(database, profile)) ? 'email_taken' : 'identity_taken', { cause });
    }
    throw cause;
  }
};

const isEmailTaken = async ({ reads }: SqlDatabase, { id, email }: Profile): Promise<boolean> => {
  const profileWithEmail = await reads.first<ProfileColumns>(selectByEmail, toEmailParameters(email));
  return profileWithEmail !== undefined && profileWithEmail.id !== id;
};
