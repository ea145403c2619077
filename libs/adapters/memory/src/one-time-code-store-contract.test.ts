import { oneTimeCodeStoreContract } from '@portico/contracts';
import { describe, test } from 'vitest';
import { createMemoryStores } from './memory-stores.ts';

describe('the memory one-time code store', () => {
  for (const [sentence, check] of Object.entries(oneTimeCodeStoreContract))
    test(sentence, () => check(createMemoryStores()));
});
