import { describe } from 'vitest';
import type { Start } from '../subject.ts';
import { accessSuite } from './access.ts';
import { auditSuite } from './audit.ts';
import { callsOffSuite } from '../calls/calls-off-suite.ts';
import { failuresSuite } from '../calls/failures-suite.ts';
import { catalogSuite } from './catalog.ts';
import { closedRequestsSuite } from './closed-requests.ts';
import { collectionSettingsSuite } from './collection-settings.ts';
import { collectionsSuite } from './collections.ts';
import { consoleSuite } from './console.ts';
import { deliverySuite } from './delivery.ts';
import { documentMetadataSuite } from './document-metadata.ts';
import { expirySuite } from './expiry.ts';
import { faultsSuite } from './faults.ts';
import { grantRulesSuite } from './grant-rules.ts';
import { groupsSuite } from './groups.ts';
import { requiredTokensSuite, identitiesSuite, ignoredTokensSuite } from './identities.ts';
import { importedVersionsSuite } from './imported-versions.ts';
import { importsSuite } from './imports.ts';
import { incomparableDocumentsSuite } from './incomparable-documents.ts';
import { inputSuite } from './input.ts';
import { jobsSuite } from './jobs.ts';
import { lifecycleSuite } from './lifecycle.ts';
import { limitStatusSuite } from './limit-status.ts';
import { limitsSuite, anonymousCallersSuite } from './limits.ts';
import { listsSuite } from './lists.ts';
import { guessedCodesSuite, localSignInSuite } from './local-sign-in.ts';
import { bulkOperationsSuite } from './bulk-operations.ts';
import { operationSummariesSuite } from './operation-summaries.ts';
import { operationsSuite } from './operations.ts';
import { ownershipSuite } from './ownership.ts';
import { pendingCallsSuite } from './pending-calls.ts';
import { preconditionsSuite } from './preconditions.ts';
import { profilesSuite } from './profiles.ts';
import { protocolSuite } from './protocol.ts';
import { exhaustionSuite, rejectionsSuite } from './rejections.ts';
import { requestsSuite } from './requests.ts';
import { revisionsSuite } from './revisions.ts';
import { searchSuite } from './search.ts';
import { failedAccountsSuite, serviceAccountsSuite } from './service-accounts.ts';
import { serviceSuite } from './service.ts';
import { suspensionSuite } from './suspension.ts';
import { usageSuite } from './usage.ts';
import { webhooksSuite } from './webhooks.ts';
import { accessMatrixSuite } from './access-matrix.ts';

type Suite = (start: Start) => void;

/** Journeys that depend on the stores. Every store must pass them. */
const storeSuites: Readonly<Record<string, Suite>> = {
  profiles: profilesSuite,
  identities: identitiesSuite,
  'a registration that requires a token': requiredTokensSuite,
  'a registration that ignores tokens': ignoredTokensSuite,
  collections: collectionsSuite,
  'the settings of collections': collectionSettingsSuite,
  'the delivery of credentials': deliverySuite,
  'the lifecycle of collections': lifecycleSuite,
  'the owners of collections': ownershipSuite,
  'conditional changes': preconditionsSuite,
  revisions: revisionsSuite,
  imports: importsSuite,
  'imported versions': importedVersionsSuite,
  'data derived from documents': documentMetadataSuite,
  access: accessSuite,
  groups: groupsSuite,
  'bulk operations': bulkOperationsSuite,
  'the access matrix': accessMatrixSuite,
  expiry: expirySuite,
  'rules of grants': grantRulesSuite,
  suspension: suspensionSuite,
  'the catalog': catalogSuite,
  'requests for access': requestsSuite,
  'requests that close automatically': closedRequestsSuite,
  'pending calls': pendingCallsSuite,
  audit: auditSuite,
  input: inputSuite,
  'signing in with the local issuer': localSignInSuite,
  'guessed codes': guessedCodesSuite,
  limits: limitsSuite,
  lists: listsSuite,
  'anonymous callers': anonymousCallersSuite,
  operations: operationsSuite,
  'summaries of operations': operationSummariesSuite,
  search: searchSuite,
  jobs: jobsSuite,
  'clients near their limit': limitStatusSuite,
  usage: usageSuite,
  webhooks: webhooksSuite,
  'service accounts': serviceAccountsSuite,
  'failed service accounts': failedAccountsSuite,
  rejections: rejectionsSuite,
};

/** Journeys that do not depend on the stores, or replace them with failing ones. */
const httpSuites: Readonly<Record<string, Suite>> = {
  'the service': serviceSuite,
  'the console': consoleSuite,
  'the protocol': protocolSuite,
  exhaustion: exhaustionSuite,
  faults: faultsSuite,
  'documents that cannot be compared': incomparableDocumentsSuite,
  'calls that fail': failuresSuite,
  'calls that are off': callsOffSuite,
};

const describeEach = (suites: Readonly<Record<string, Suite>>, start: Start): void => {
  for (const [name, suite] of Object.entries(suites)) describe(name, () => suite(start));
};

/** Runs every journey that depends on the stores. */
export const journeysOverStores = (start: Start): void => describeEach(storeSuites, start);

/** Runs every journey. */
export const allJourneys = (start: Start): void => describeEach({ ...storeSuites, ...httpSuites }, start);
