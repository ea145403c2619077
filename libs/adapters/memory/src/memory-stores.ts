import type { StorePorts } from '@portico/domain';
import { createMemoryAccessMatrix } from './memory-access-matrix.ts';
import { createMemoryAuditLog } from './memory-audit-log.ts';
import { createMemoryCallerLookup } from './memory-caller-lookup.ts';
import { createMemoryCollectionStore } from './memory-collection-store.ts';
import { createMemoryCredentialStore } from './memory-credential-store.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryDeadLetters } from './memory-dead-letters.ts';
import { createMemoryEmbeddingJobs } from './memory-embedding-jobs.ts';
import { createMemoryEmbeddingStore } from './memory-embedding-store.ts';
import { createMemoryExpiryStore } from './memory-expiry-store.ts';
import { createMemoryGrantStore } from './memory-grant-store.ts';
import { createMemoryGroupStore } from './memory-group-store.ts';
import { createMemoryLimitStore } from './memory-limit-store.ts';
import { createMemoryOneTimeCodeStore } from './memory-one-time-code-store.ts';
import { createMemoryOperationBlockStore } from './memory-operation-block-store.ts';
import { createMemoryOperationStore } from './memory-operation-store.ts';
import { createMemoryOutbox } from './memory-outbox.ts';
import { createMemoryPendingCallStore } from './memory-pending-call-store.ts';
import { createMemoryProfileStore } from './memory-profile-store.ts';
import { createMemoryRequestStore } from './memory-request-store.ts';
import { createMemoryRevisionStore } from './memory-revision-store.ts';
import { createMemorySearchModels } from './memory-search-models.ts';
import { createMemorySealedStore } from './memory-sealed-store.ts';
import { createMemoryServiceAccountStore } from './memory-service-account-store.ts';
import { createMemoryUsageStore } from './memory-usage-store.ts';
import { createMemoryWebhookStore } from './memory-webhook-store.ts';

/** Creates stores that share one in-memory state. They are the reference for all other implementations. */
export const createMemoryStores = (database = createMemoryDatabase()): StorePorts => ({
  callers: createMemoryCallerLookup(database),
  profiles: createMemoryProfileStore(database),
  collections: createMemoryCollectionStore(database),
  revisions: createMemoryRevisionStore(database),
  credentials: createMemoryCredentialStore(database),
  operations: createMemoryOperationStore(database),
  operationBlocks: createMemoryOperationBlockStore(database),
  grants: createMemoryGrantStore(database),
  groups: createMemoryGroupStore(database),
  expiries: createMemoryExpiryStore(database),
  accessMatrix: createMemoryAccessMatrix(database),
  requests: createMemoryRequestStore(database),
  calls: createMemoryPendingCallStore(database),
  audit: createMemoryAuditLog(database),
  limits: createMemoryLimitStore(database),
  embeddings: createMemoryEmbeddingStore(database),
  embeddingJobs: createMemoryEmbeddingJobs(database),
  models: createMemorySearchModels(database),
  outbox: createMemoryOutbox(database),
  deadLetters: createMemoryDeadLetters(database),
  sealed: createMemorySealedStore(database),
  usage: createMemoryUsageStore(database),
  serviceAccounts: createMemoryServiceAccountStore(database),
  oneTimeCodes: createMemoryOneTimeCodeStore(database),
  webhooks: createMemoryWebhookStore(database),
});
