import { type EarlierStores, type Sabotages, sharedMailboxContract, type Stores } from '@portico/contracts';
import type { Profile } from '@portico/domain';
import { describe } from 'vitest';
import { proveContract } from '../test/prove-contract.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

const earlierStores = (broken: (right: Stores) => Partial<Stores> = () => ({})): EarlierStores => {
  const database = createMemoryDatabase();
  const stores = createMemoryStores(database);
  const put = async (profile: Profile) => void database.profiles.set(profile.id, profile);
  return { ...stores, put, ...broken(stores) };
};

const sabotages: Sabotages<typeof sharedMailboxContract, EarlierStores> = {
  'of several profiles of a mailbox, the exact e-mail names one, and any other form the first': () =>
    earlierStores(({ profiles }) => ({
      profiles: { ...profiles, findByEmail: async () => (await profiles.list()).at(-1) ?? null },
    })),
  // The mailbox is free with the first.
  'when one of them is removed, the first is the oldest of the others, and the mailbox is taken until the last is':
    () =>
      earlierStores(({ profiles }) => ({
        profiles: {
          ...profiles,
          remove: async (id, decide) => {
            await profiles.remove(id, decide);
            for (const { id: other } of await profiles.list()) await profiles.remove(other, decide);
          },
        },
      })),
  'the access matrix of an e-mail is that of the one profile that it names': () =>
    earlierStores(({ accessMatrix }) => ({
      accessMatrix: {
        ...accessMatrix,
        rows: (filter, after, limit) => accessMatrix.rows({ ...filter, profile: null }, after, limit),
      },
    })),
};

describe('the memory stores, of mailboxes that profiles share', () => {
  proveContract(sharedMailboxContract, sabotages, () => earlierStores());
});
