import { describe, expect, test } from 'vitest';
import { accessSuite } from './journeys/access.ts';
import { auditSuite } from './journeys/audit.ts';
import { collectionsSuite } from './journeys/collections.ts';
import { documentFactsSuite } from './journeys/document-facts.ts';
import { faultsSuite } from './journeys/faults.ts';
import { demandedTokensSuite, identitiesSuite, ignoredTokensSuite } from './journeys/identities.ts';
import { limitsSuite, strangersSuite } from './journeys/limits.ts';
import { profilesSuite } from './journeys/profiles.ts';
import { protocolSuite } from './journeys/protocol.ts';
import { exhaustionSuite, refusalsSuite } from './journeys/refusals.ts';
import { searchSuite } from './journeys/search.ts';
import { serviceSuite } from './journeys/service.ts';
import { documentedAnswers, seenAnswers } from './openapi-judge.ts';
import { startInMemory } from './start-in-memory.ts';

describe('profiles', () => profilesSuite(startInMemory));
describe('identities', () => identitiesSuite(startInMemory));
describe('tokens that a registration demands', () => demandedTokensSuite(startInMemory));
describe('tokens that a registration ignores', () => ignoredTokensSuite(startInMemory));
describe('collections', () => collectionsSuite(startInMemory));
describe('what is told of documents', () => documentFactsSuite(startInMemory));
describe('access', () => accessSuite(startInMemory));
describe('audit', () => auditSuite(startInMemory));
describe('limits', () => limitsSuite(startInMemory));
describe('strangers', () => strangersSuite(startInMemory));
describe('search', () => searchSuite(startInMemory));
describe('the service', () => serviceSuite(startInMemory));
describe('the protocol', () => protocolSuite(startInMemory));
describe('refusals', () => refusalsSuite(startInMemory));
describe('exhaustion', () => exhaustionSuite(startInMemory));
describe('faults', () => faultsSuite(startInMemory));

test('every answer that the OpenAPI document names was given', () => {
  const missing = [...documentedAnswers].filter((answer) => !seenAnswers.has(answer));
  expect(documentedAnswers.size).toBeGreaterThan(200);
  expect(missing).toEqual([]);
});
