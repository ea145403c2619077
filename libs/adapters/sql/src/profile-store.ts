import { PorticoError, unknownIssuer } from '@portico/domain';
import type { Profile, ProfileId, ProfileState, ProfileStore } from '@portico/domain';
import { writeEffects } from './effects.ts';
import { ProfileEntity } from './entities.ts';
import type { ProfileRow } from './entities.ts';
import { keyData, keyOf, profileColumns, profileData, profileOf } from './profile-record.ts';
import type { ProfileColumns } from './profile-record.ts';
import type { Database, Sql, Transaction } from './sql.ts';
import { columns } from './table.ts';

export const createSqlProfileStore = (database: Database): ProfileStore => ({
  async add(profile, effects) {
    await refusingTaken(database, (wanted) =>
      database.transact(async (transaction) => {
        await insert(transaction, wanted(profile));
        await writeEffects(transaction, effects);
      }, effects.deadline),
    );
  },

  async find(id) {
    return findProfile(database.reads, id);
  },

  async findByEmail(email) {
    const row = await database.reads.first<ProfileColumns>(selectByEmail, [email.toLowerCase()]);
    return row ? profileOf(row) : null;
  },

  async list() {
    return (await database.reads.all<ProfileColumns>(selectAll)).map(profileOf);
  },

  async admins() {
    return adminsIn(database.reads);
  },

  async pending(limit) {
    const count = await database.reads.first<{ total: number }>(countPending);
    const newest = await database.reads.all<ProfileColumns>(selectPending, [limit]);
    return { total: count?.total ?? 0, newest: newest.map(profileOf) };
  },

  async update(id, decide) {
    return refusingTaken(database, (wanted) =>
      database.transact(async (transaction) => {
        const row = await load(transaction, id);
        const change = decide(await stateOf(transaction, row));
        await refuseUnknownTier(transaction, row, change.profile);
        Object.assign(row, profileData(wanted({ ...change.profile, id })), keyData(change.key));
        await writeEffects(transaction, change);
        return change.profile;
      }),
    );
  },

  async remove(id, decide) {
    await database.transact(async (transaction) => {
      const effects = decide(await stateOf(transaction, await load(transaction, id)));
      // Its grants and overrides go with the row, by foreign keys.
      await transaction.em.nativeDelete(ProfileEntity, { id });
      await transaction.run(deleteMails, [id]);
      await writeEffects(transaction, effects);
    });
  },

  async claimAdmin({ uid, email }, decide) {
    return refusingTaken(database, (wanted) =>
      database.transact(async (transaction) => {
        const { em } = transaction;
        const row =
          (await em.findOne(ProfileEntity, { uid })) ??
          (await em.findOne(ProfileEntity, { email: email.toLowerCase() }));
        const change = decide({ admins: await adminsIn(transaction), match: row && profileOf(row) });
        if (!change) return null;
        const profile = wanted(change.profile);
        if (row?.id === profile.id) Object.assign(row, profileData(profile));
        else await insert(transaction, profile);
        await writeEffects(transaction, change);
        return profile;
      }),
    );
  },

  async adoptBindings(issuerOf) {
    return database.transact(async (transaction) => {
      const found = (await transaction.all<ProfileColumns>(selectOfIssuer, [unknownIssuer])).map(profileOf);
      await transaction.runEach(
        updateIssuer,
        found.map((profile) => [issuerOf(profile), profile.id]),
      );
      return found.length;
    });
  },
});

/** Null where there is none. */
export const findProfile = async (sql: Sql, id: ProfileId): Promise<Profile | null> => {
  const row = await sql.first<ProfileColumns>(selectById, [id]);
  return row ? profileOf(row) : null;
};

const selectAll = `select ${columns('p', profileColumns)} from profiles p order by p.created_at, p.id`;
const selectById = `select ${columns('p', profileColumns)} from profiles p where p.id = ?`;
const selectByEmail = `select ${columns('p', profileColumns)} from profiles p where p.email = ?`;
const selectAdmins = `select ${columns('p', profileColumns)} from profiles p where p.role = 'admin' order by p.created_at, p.id`;
const selectOfIssuer = `select ${columns('p', profileColumns)} from profiles p where p.issuer = ?`;
const updateIssuer = 'update profiles set issuer = ? where id = ?';
const countPending = `select count(*) as total from profiles where status = 'pending'`;
const selectPending = `select ${columns('p', profileColumns)} from profiles p where p.status = 'pending'
  order by p.created_at desc, p.id desc limit ?`;
const selectTier = 'select tier from tiers where tier = ?';
const deleteMails = 'delete from jobs where profile_id = ?';

const insert = async ({ em }: Transaction, profile: Profile): Promise<void> => {
  await em.insert(ProfileEntity, { ...profileData(profile), ...keyData(null), grantsEpoch: 0 });
};

const load = async ({ em }: Transaction, id: ProfileId): Promise<ProfileRow> => {
  const row = await em.findOne(ProfileEntity, { id });
  if (!row) throw new PorticoError('user_not_found');
  return row;
};

const stateOf = async (sql: Sql, row: ProfileRow): Promise<ProfileState> => ({
  profile: profileOf(row),
  key: keyOf(row),
  admins: await adminsIn(sql),
});

const adminsIn = async (sql: Sql): Promise<readonly Profile[]> =>
  (await sql.all<ProfileColumns>(selectAdmins)).map(profileOf);

const refuseUnknownTier = async (sql: Sql, before: ProfileRow, { tier }: Profile): Promise<void> => {
  if (tier !== null && tier !== before.tier && !(await sql.first(selectTier, [tier])))
    throw new PorticoError('tier_not_found');
};

/**
 * Translates the violation of an e-mail's or uid's uniqueness. Where both are taken the database names either; the
 * e-mail goes first, so it is asked about once more. `wanted` notes which profile was to be stored.
 */
const refusingTaken = async <T>(
  database: Database,
  store: (wanted: (profile: Profile) => Profile) => Promise<T>,
): Promise<T> => {
  let profile: Profile | null = null;
  try {
    return await store((wanted) => (profile = wanted));
  } catch (cause) {
    const key = database.violatedKey(cause);
    if (key === 'profiles.email') throw new PorticoError('email_taken', { cause });
    if (key === 'profiles.uid') {
      throw new PorticoError((await isEmailTaken(database, profile)) ? 'email_taken' : 'identity_taken', { cause });
    }
    throw cause;
  }
};

const isEmailTaken = async ({ reads }: Database, profile: Profile | null): Promise<boolean> => {
  const holder = profile && (await reads.first<ProfileColumns>(selectByEmail, [profile.email]));
  return holder != null && holder.id !== profile?.id;
};
