import { nameKey, PorticoError } from '@portico/domain';
import type { AccountState, ServiceAccount, ServiceAccountId, ServiceAccountStore } from '@portico/domain';
import { byCodePoints, commit, frozenCopy, type MemoryDatabase } from './memory-database.ts';

export const createMemoryServiceAccountStore = (database: MemoryDatabase): ServiceAccountStore => {
  const { serviceAccounts } = database;

  return {
    async add(decide) {
      const { account, key, ...effects } = decide(serviceAccounts.size);
      rejectTakenName(database, account);
      commit(database, effects, () => serviceAccounts.set(account.id, frozenCopy({ account, key })));
    },

    async find(id) {
      return serviceAccounts.get(id)?.account ?? null;
    },

    async list() {
      const all = [...serviceAccounts.values()].map(({ account }) => account);
      return all.sort((a, b) => byCodePoints(nameKey(a.name), nameKey(b.name)));
    },

    async update(id, decide) {
      const { account, key, ...effects } = decide(existing(database, id));
      rejectTakenName(database, account);
      const state = frozenCopy({ account, key });
      commit(database, effects, () => serviceAccounts.set(id, state));
      return state.account;
    },

    async remove(id, decide) {
      const effects = decide(existing(database, id).account);
      commit(database, effects, () => serviceAccounts.delete(id));
    },
  };
};

const withName = ({ serviceAccounts }: MemoryDatabase, name: string): AccountState | null =>
  [...serviceAccounts.values()].find(({ account }) => nameKey(account.name) === nameKey(name)) ?? null;

const existing = ({ serviceAccounts }: MemoryDatabase, id: ServiceAccountId): AccountState => {
  const state = serviceAccounts.get(id);
  if (!state) throw new PorticoError('service_account_not_found');
  return state;
};

const rejectTakenName = (database: MemoryDatabase, { id, name }: ServiceAccount): void => {
  const holder = withName(database, name);
  if (holder && holder.account.id !== id) throw new PorticoError('service_account_taken');
};
