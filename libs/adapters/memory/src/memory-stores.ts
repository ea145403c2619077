import type { Ports } from '@portico/domain';
import { createMemoryAuditLog } from './memory-audit-log.ts';
import { createMemoryCallerLookup } from './memory-caller-lookup.ts';
import { createMemoryCollectionStore } from './memory-collection-store.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryEmbeddingStore } from './memory-embedding-store.ts';
import { createMemoryGrantStore } from './memory-grant-store.ts';
import { createMemoryLimitStore } from './memory-limit-store.ts';
import { createMemoryOutbox } from './memory-outbox.ts';
import { createMemoryProfileStore } from './memory-profile-store.ts';
import { createMemorySealedStore } from './memory-sealed-store.ts';

export type MemoryStores = Pick<
  Ports,
  'callers' | 'profiles' | 'collections' | 'grants' | 'audit' | 'limits' | 'embeddings' | 'outbox' | 'sealed'
>;

/** The stores over one shared state that lasts as long as the process: the reference of what every store must do. */
export const createMemoryStores = (database = createMemoryDatabase()): MemoryStores => ({
  callers: createMemoryCallerLookup(database),
  profiles: createMemoryProfileStore(database),
  collections: createMemoryCollectionStore(database),
  grants: createMemoryGrantStore(database),
  audit: createMemoryAuditLog(database),
  limits: createMemoryLimitStore(database),
  embeddings: createMemoryEmbeddingStore(database),
  outbox: createMemoryOutbox(database),
  sealed: createMemorySealedStore(database),
});
