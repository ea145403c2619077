import {
  accessMatrixContract,
  accessRequestStoreContract,
  auditLogContract,
  callerLookupContract,
  collectionLifecycleContract,
  collectionNamesakesContract,
  collectionStoreContract,
  credentialStoreContract,
  deadLettersContract,
  deadlineContract,
  decidedRequestsContract,
  embeddingJobsContract,
  embeddingStoreContract,
  expiryStoreContract,
  grantExpiryContract,
  grantRulesContract,
  grantStoreContract,
  groupAccessContract,
  originalDocumentContract,
  ownedRequestsContract,
  groupClaimsContract,
  groupMembersContract,
  groupStoreContract,
  limitStoreContract,
  manyGrantsContract,
  noEffects,
  oneTimeCodeStoreContract,
  operationBlockStoreContract,
  operationStoreContract,
  operationUsageContract,
  outboxContract,
  pendingCallStoreContract,
  profileSelectionContract,
  profileStoreContract,
  revisionStoreContract,
  sealedStoreContract,
  subjectCredentialsContract,
  searchModelsContract,
  serviceAccountStoreContract,
  sharedMailboxContract,
  usageStoreContract,
  webhookStoreContract,
} from '@portico/contracts';
import type { Contract, Stores } from '@portico/contracts';
import type { AccessRequest, Profile } from '@portico/domain';
import { describe, test } from 'vitest';
import { insertRequest } from '../src/request-record.ts';
import type { TestedDialect } from './dialects.ts';

const contracts: Readonly<Record<string, Contract<Stores>>> = {
  callers: callerLookupContract,
  profiles: profileStoreContract,
  profileSelections: profileSelectionContract,
  collections: collectionStoreContract,
  namesakes: collectionNamesakesContract,
  lifecycles: collectionLifecycleContract,
  ownedRequests: ownedRequestsContract,
  credentials: credentialStoreContract,
  'subject credentials': subjectCredentialsContract,
  grants: grantStoreContract,
  expiries: expiryStoreContract,
  accessMatrix: accessMatrixContract,
  requests: accessRequestStoreContract,
  calls: pendingCallStoreContract,
  manyGrants: manyGrantsContract,
  expiry: grantExpiryContract,
  rules: grantRulesContract,
  groups: groupStoreContract,
  members: groupMembersContract,
  claims: groupClaimsContract,
  groupAccess: groupAccessContract,
  originalDocument: originalDocumentContract,
  revisions: revisionStoreContract,
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
  operationUsage: operationUsageContract,
  serviceAccounts: serviceAccountStoreContract,
  oneTimeCodes: oneTimeCodeStoreContract,
  webhooks: webhookStoreContract,
};

/** Defines the tests for all contracts of the stores. */
export const testContracts = ({ withStores, withDatabase }: TestedDialect): void => {
  for (const [port, contract] of Object.entries(contracts)) {
    describe(port, () => {
      for (const [sentence, check] of Object.entries(contract)) {
        test(sentence, () => withStores(({ stores }) => check(stores)));
      }
    });
  }

  describe('requests', () => {
    for (const [sentence, check] of Object.entries(decidedRequestsContract)) {
      test(sentence, () =>
        withDatabase(async (open, run) => {
          const { stores, close } = await open();
          const insertRow = (request: AccessRequest) => run(insertRequest.text, insertRequest.toParameters(request));
          await check({ ...stores, addRequest: async (request) => void (await insertRow(request)) }).finally(close);
        }),
      );
    }
  });

  describe('shared mailboxes', () => {
    for (const [sentence, check] of Object.entries(sharedMailboxContract)) {
      test(sentence, () =>
        withDatabase(async (open, run) => {
          const { stores, close } = await open();
          const put = async (profile: Profile) => {
            await stores.profiles.add({ ...profile, email: `${profile.id}@example.com` }, noEffects);
            await run('update profiles set email = ?, email_key = null where id = ?', [profile.email, profile.id]);
          };
          await check({ ...stores, putLegacyProfile: put }).finally(close);
        }),
      );
    }
  });
};
