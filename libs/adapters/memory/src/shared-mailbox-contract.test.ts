import { sharedMailboxContract } from '@portico/contracts';
import type { Profile } from '@portico/domain';
import { describe, test } from 'vitest';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

describe('the memory stores, on shared mailboxes', () => {
  for (const [sentence, check] of Object.entries(sharedMailboxContract)) {
    test(sentence, () => {
      const database = createMemoryDatabase();
      const put = async (profile: Profile) => void database.profiles.set(profile.id, profile);
      return check({ ...createMemoryStores(database), putLegacyProfile: put });
    });
  }
});
