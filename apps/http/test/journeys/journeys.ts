import { describe } from 'vitest';
import type { Start } from '../subject.ts';
import { accessSuite } from './access.ts';
import { auditSuite } from './audit.ts';
import { catalogSuite } from './catalog.ts';
import { closedRequestsSuite } from './closed-requests.ts';
import { collectionsSuite } from './collections.ts';
import { consoleSuite } from './console.ts';
import { documentFactsSuite } from './document-facts.ts';
import { expirySuite } from './expiry.ts';
import { faultsSuite } from './faults.ts';
import { groupsSuite } from './groups.ts';
import { demandedTokensSuite, identitiesSuite, ignoredTokensSuite } from './identities.ts';
import { importsSuite } from './imports.ts';
import { inputSuite } from './input.ts';
import { jobsSuite } from './jobs.ts';
import { limitStandingSuite } from './limit-standing.ts';
import { limitsSuite, strangersSuite } from './limits.ts';
import { listsSuite } from './lists.ts';
import { guessedCodesSuite, localSignInSuite } from './local-sign-in.ts';
import { manyAtOnceSuite } from './many-at-once.ts';
import { operationsSuite } from './operations.ts';
import { preconditionsSuite } from './preconditions.ts';
import { profilesSuite } from './profiles.ts';
import { protocolSuite } from './protocol.ts';
import { exhaustionSuite, refusalsSuite } from './refusals.ts';
import { requestsSuite } from './requests.ts';
import { searchSuite } from './search.ts';
import { failedAccountsSuite, serviceAccountsSuite } from './service-accounts.ts';
import { serviceSuite } from './service.ts';
import { suspensionSuite } from './suspension.ts';
import { usageSuite } from './usage.ts';
import { whoMayWhatSuite } from './who-may-what.ts';

type Suite = (start: Start) => void;

/** What a service does whatever its stores are. */
const ofAnyStores: Readonly<Record<string, Suite>> = {
  profiles: profilesSuite,
  identities: identitiesSuite,
  'a registration that requires a token': demandedTokensSuite,
  'a registration that ignores tokens': ignoredTokensSuite,
  collections: collectionsSuite,
  'changes of a state that was read': preconditionsSuite,
  imports: importsSuite,
  'facts derived from documents': documentFactsSuite,
  access: accessSuite,
  groups: groupsSuite,
  'many at once': manyAtOnceSuite,
  'who may what': whoMayWhatSuite,
  expiry: expirySuite,
  suspension: suspensionSuite,
  'the catalog': catalogSuite,
  'requests for access': requestsSuite,
  'requests that close themselves': closedRequestsSuite,
  audit: auditSuite,
  input: inputSuite,
  'signing in at the local issuer': localSignInSuite,
  'guessed codes': guessedCodesSuite,
  limits: limitsSuite,
  lists: listsSuite,
  strangers: strangersSuite,
  operations: operationsSuite,
  search: searchSuite,
  jobs: jobsSuite,
  'who is near a limit': limitStandingSuite,
  usage: usageSuite,
  'service accounts': serviceAccountsSuite,
  'failed service accounts': failedAccountsSuite,
  refusals: refusalsSuite,
};

/** What has nothing to do with the stores, or replaces them by failing ones. */
const ofHttpAlone: Readonly<Record<string, Suite>> = {
  'the service': serviceSuite,
  'the console': consoleSuite,
  'the protocol': protocolSuite,
  exhaustion: exhaustionSuite,
  faults: faultsSuite,
};

const each = (suites: Readonly<Record<string, Suite>>, start: Start): void => {
  for (const [name, suite] of Object.entries(suites)) describe(name, () => suite(start));
};

/** Every journey that the stores of a service matter to. */
export const journeysOverStores = (start: Start): void => each(ofAnyStores, start);

/** Every journey there is. */
export const allJourneys = (start: Start): void => each({ ...ofAnyStores, ...ofHttpAlone }, start);
