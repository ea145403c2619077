import type { SqlDatabase } from './sql.ts';

/** A few named strings that the service stores for its own use. */
export interface SettingsTable {
  /** Returns the value, or null if none is set. */
  get(name: string): Promise<string | null>;
  put(name: string, value: string): Promise<void>;
  /** Stores the value unless one is already set; returns the stored value. */
  putIfAbsent(name: string, value: string): Promise<string>;
  /** Loads, decides and stores in one transaction; `decide` may run more than once. */
  update(name: string, decide: (value: string | null) => string): Promise<void>;
}

export const createSettingsTable = (database: SqlDatabase): SettingsTable => {
  const get = async (name: string) => (await database.reads.first<{ value: string }>(select, [name]))?.value ?? null;

  return {
    get,

    async put(name, value) {
      await database.transact((transaction) => transaction.run(upsert, [name, value]));
    },

    async putIfAbsent(name, value) {
      const storedValue = await get(name);
      if (storedValue !== null) return storedValue;
      return database.transact(async (transaction) => {
        await transaction.run(insert, [name, value]);
        return (await transaction.first<{ value: string }>(select, [name]))?.value ?? value;
      });
    },

    async update(name, decide) {
      await database.transact(async (transaction) => {
        const row = await transaction.first<{ value: string }>(select, [name]);
        await transaction.run(upsert, [name, decide(row?.value ?? null)]);
      });
    },
  };
};

const select = 'select value from settings where name = ?';
const insert = 'insert into settings (name, value) values (?, ?) on conflict (name) do nothing';
const upsert = `insert into settings (name, value) values (?, ?)
  on conflict (name) do update set value = excluded.value`;
