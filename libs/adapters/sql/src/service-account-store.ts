import { PorticoError } from '@portico/domain';
import type { AccountState, ServiceAccountId, ServiceAccountStore } from '@portico/domain';
import { writeEffects } from './effects.ts';
import {
  accountColumns,
  type AccountColumns,
  accountOf,
  toAccountRow,
  accountStateColumns,
  type AccountStateColumns,
  accountStateOf,
  insertAccount,
  updateAccount,
} from './service-account-record.ts';
import type { Sql, SqlDatabase } from './sql.ts';
import { buildColumns, write } from './table.ts';

export const createSqlServiceAccountStore = (database: SqlDatabase): ServiceAccountStore => ({
  async add(decide) {
    await translateTaken(database, () =>
      database.transact(async (transaction) => {
        const row = await transaction.first<{ accounts: number }>(countAccounts);
        const { account, key, ...effects } = decide(row?.accounts ?? 0);
        await write(transaction, insertAccount, toAccountRow({ account, key }));
        await writeEffects(transaction, effects);
      }),
    );
  },

  async find(id) {
    const row = await database.reads.first<AccountColumns>(selectById, [id]);
    return row ? accountOf(row) : null;
  },

  async list() {
    return (await database.reads.all<AccountColumns>(selectAll)).map(accountOf);
  },

  async update(id, decide) {
    return translateTaken(database, () =>
      database.transact(async (transaction) => {
        const { account: changedAccount, key, ...effects } = decide(await load(transaction, id));
        const account = { ...changedAccount, id };
        await write(transaction, updateAccount, toAccountRow({ account, key }));
        await writeEffects(transaction, effects);
        return account;
      }),
    );
  },

  async remove(id, decide) {
    await database.transact(async (transaction) => {
      const effects = decide((await load(transaction, id)).account);
      await transaction.run(deleteAccount, [id]);
      await writeEffects(transaction, effects);
    });
  },
});

const accounts = `select ${buildColumns('s', accountColumns)} from service_accounts s`;
const selectAll = `${accounts} order by s.name_key`;
const selectById = `${accounts} where s.id = ?`;
const selectState = `select ${buildColumns('s', accountStateColumns)} from service_accounts s where s.id = ?`;
const countAccounts = 'select count(*) as accounts from service_accounts';
const deleteAccount = 'delete from service_accounts where id = ?';

const load = async (sql: Sql, id: ServiceAccountId): Promise<AccountState> => {
  const row = await sql.first<AccountStateColumns>(selectState, [id]);
  if (!row) throw new PorticoError('service_account_not_found');
  return accountStateOf(row);
};

const translateTaken = async <T>(database: SqlDatabase, change: () => Promise<T>): Promise<T> => {
  try {
    return await change();
  } catch (cause) {
    if (database.findViolatedKey(cause) === 'service_accounts.name_key')
      throw new PorticoError('service_account_taken', { cause });
    throw cause;
  }
};
