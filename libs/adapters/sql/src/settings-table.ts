import type { SqlDatabase } from './sql.ts';

/** A few named texts that the service stores for itself. */
export interface SettingsTable {
  /** Null if not set. */
  get(name: string): Promise<string | null>;
  put(name: string, value: string): Promise<void>;
  /** Stores the value unless one is set; returns the stored one. */
  putIfAbsent(name: string, value: string): Promise<string>;
}

export const createSettingsTable = (database: SqlDatabase): SettingsTable => {
  const get = async (name: string) => (await database.reads.first<{ value: string }>(select, [name]))?.value ?? null;

  return {
    get,

    async put(name, value) {
      await database.transact((transaction) => transaction.run(upsert, [name, value]));
    },

    async putIfAbsent(name, value) {
      const kept = await get(name);
      if (kept !== null) return kept;
      return database.transact(async (transaction) => {
        await transaction.run(insert, [name, value]);
        return (await transaction.first<{ value: string }>(select, [name]))?.value ?? value;
      });
    },
  };
};

const select = 'select value from settings where name = ?';
const insert = 'insert into settings (name, value) values (?, ?) on conflict (name) do nothing';
const upsert = `insert into settings (name, value) values (?, ?)
  on conflict (name) do update set value = excluded.value`;
