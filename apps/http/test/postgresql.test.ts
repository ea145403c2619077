import { startPostgres, startRedis } from '@portico/test-servers';
import { afterAll, describe } from 'vitest';
import { accessSuite } from './journeys/access.ts';
import { auditSuite } from './journeys/audit.ts';
import { catalogSuite } from './journeys/catalog.ts';
import { closedRequestsSuite } from './journeys/closed-requests.ts';
import { collectionsSuite } from './journeys/collections.ts';
import { importsSuite } from './journeys/imports.ts';
import { documentFactsSuite } from './journeys/document-facts.ts';
import { demandedTokensSuite, identitiesSuite, ignoredTokensSuite } from './journeys/identities.ts';
import { groupsSuite } from './journeys/groups.ts';
import { expirySuite } from './journeys/expiry.ts';
import { inputSuite } from './journeys/input.ts';
import { jobsSuite } from './journeys/jobs.ts';
import { limitStandingSuite } from './journeys/limit-standing.ts';
import { limitsSuite, strangersSuite } from './journeys/limits.ts';
import { manyAtOnceSuite } from './journeys/many-at-once.ts';
import { operationsSuite } from './journeys/operations.ts';
import { profilesSuite } from './journeys/profiles.ts';
import { refusalsSuite } from './journeys/refusals.ts';
import { requestsSuite } from './journeys/requests.ts';
import { searchSuite } from './journeys/search.ts';
import { failedAccountsSuite, serviceAccountsSuite } from './journeys/service-accounts.ts';
import { suspensionSuite } from './journeys/suspension.ts';
import { usageSuite } from './journeys/usage.ts';
import { whoMayWhatSuite } from './journeys/who-may-what.ts';
import { startComposed } from './start-composed.ts';

const postgres = await startPostgres();
const redis = await startRedis();
afterAll(() => Promise.all([postgres?.close(), redis?.close()]));

describe.skipIf(!postgres || !redis)('on PostgreSQL and Redis', () => {
  const start = startComposed(async () => {
    // Otherwise the counts of an address outlive the service that made them.
    await redis?.flush();
    return { DATABASE_URL: await postgres?.newDatabase(), REDIS_URL: redis?.url };
  });

  describe('profiles', () => profilesSuite(start));
  describe('identities', () => identitiesSuite(start));
  describe('a registration that requires a token', () => demandedTokensSuite(start));
  describe('a registration that ignores tokens', () => ignoredTokensSuite(start));
  describe('collections', () => collectionsSuite(start));
  describe('imports', () => importsSuite(start));
  describe('facts derived from documents', () => documentFactsSuite(start));
  describe('access', () => accessSuite(start));
  describe('groups', () => groupsSuite(start));
  describe('many at once', () => manyAtOnceSuite(start));
  describe('who may what', () => whoMayWhatSuite(start));
  describe('expiry', () => expirySuite(start));
  describe('suspension', () => suspensionSuite(start));
  describe('the catalog', () => catalogSuite(start));
  describe('requests for access', () => requestsSuite(start));
  describe('requests that close themselves', () => closedRequestsSuite(start));
  describe('audit', () => auditSuite(start));
  describe('input', () => inputSuite(start));
  describe('limits', () => limitsSuite(start));
  describe('strangers', () => strangersSuite(start));
  describe('operations', () => operationsSuite(start));
  describe('search', () => searchSuite(start));
  describe('jobs', () => jobsSuite(start));
  describe('who is near a limit', () => limitStandingSuite(start));
  describe('usage', () => usageSuite(start));
  describe('service accounts', () => serviceAccountsSuite(start));
  describe('failed service accounts', () => failedAccountsSuite(start));
  describe('refusals', () => refusalsSuite(start));
});
