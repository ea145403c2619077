import {
  accessMatrixContract,
  accessRequestStoreContract,
  auditLogContract,
  callerLookupContract,
  collectionStoreContract,
  deadLettersContract,
  deadlineContract,
  embeddingJobsContract,
  embeddingStoreContract,
  expiryStoreContract,
  grantStoreContract,
  limitStoreContract,
  operationBlockStoreContract,
  operationStoreContract,
  outboxContract,
  profileStoreContract,
  sealedStoreContract,
  searchModelsContract,
  serviceAccountStoreContract,
  usageStoreContract,
} from '@portico/contracts';
import type { Contract, Stores } from '@portico/contracts';
import { describe, test } from 'vitest';
import { describeDialects } from '../test/dialects.ts';

const contracts: Readonly<Record<string, Contract<Stores>>> = {
  callers: callerLookupContract,
  profiles: profileStoreContract,
  collections: collectionStoreContract,
  grants: grantStoreContract,
  expiries: expiryStoreContract,
  accessMatrix: accessMatrixContract,
  requests: accessRequestStoreContract,
  audit: auditLogContract,
  limits: limitStoreContract,
  embeddings: embeddingStoreContract,
  operations: operationStoreContract,
  operationBlocks: operationBlockStoreContract,
  embeddingJobs: embeddingJobsContract,
  outbox: outboxContract,
  deadLetters: deadLettersContract,
  deadlines: deadlineContract,
  sealed: sealedStoreContract,
  models: searchModelsContract,
  usage: usageStoreContract,
  serviceAccounts: serviceAccountStoreContract,
};

describeDialects(({ withStores }) => {
  for (const [port, contract] of Object.entries(contracts)) {
    describe(port, () => {
      for (const [sentence, check] of Object.entries(contract)) {
        test(sentence, () => withStores(({ stores }) => check(stores)));
      }
    });
  }
});
