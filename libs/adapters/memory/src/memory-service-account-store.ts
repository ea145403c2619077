import { toNameKey, PorticoError } from '@portico/domain';
import type { AccountState, ServiceAccount, ServiceAccountId, ServiceAccountStore } from '@portico/domain';
import { compareCodePoints, commit, copyFrozen, type MemoryDatabase } from './memory-database.ts';

export const createMemoryServiceAccountStore = (database: MemoryDatabase): ServiceAccountStore => {
  const { serviceAccounts } = database;

  return {
    async add(decide) {
      const { account, key, ...effects } = decide(serviceAccounts.size);
      rejectTakenName(database, account);
      commit(database, effects, () => serviceAccounts.set(account.id, copyFrozen({ account, key })));
    },

    async find(id) {
      return serviceAccounts.get(id)?.account ?? null;
    },

    async list() {
      const accounts = [...serviceAccounts.values()].map(({ account }) => account);
      return accounts.sort((a, b) => compareCodePoints(toNameKey(a.name), toNameKey(b.name)));
    },

    async update(id, decide) {
      const { account, key, ...effects } = decide(requireAccount(database, id));
      rejectTakenName(database, account);
      const state = copyFrozen({ account, key });
      commit(database, effects, () => serviceAccounts.set(id, state));
      return state.account;
    },

    async remove(id, decide) {
      const effects = decide(requireAccount(database, id).account);
      commit(database, effects, () => serviceAccounts.delete(id));
    },
  };
};

const findByName = ({ serviceAccounts }: MemoryDatabase, name: string): AccountState | null =>
  [...serviceAccounts.values()].find(({ account }) => toNameKey(account.name) === toNameKey(name)) ?? null;

const requireAccount = ({ serviceAccounts }: MemoryDatabase, id: ServiceAccountId): AccountState => {
  const state = serviceAccounts.get(id);
  if (!state) throw new PorticoError('service_account_not_found');
  return state;
};

const rejectTakenName = (database: MemoryDatabase, { id, name }: ServiceAccount): void => {
  const holder = findByName(database, name);
  if (holder && holder.account.id !== id) throw new PorticoError('service_account_taken');
};
