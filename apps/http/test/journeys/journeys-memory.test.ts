import { beforeAll, expect, test } from 'vitest';
import { documentedResponses, observedResponses } from '../openapi-validator.ts';
import { startInMemory } from '../start-in-memory.ts';
import { allJourneys } from './journeys.ts';

/** The responses that need more than 1,000 credentials: `libs/testing` tests them. */
const manyRecords = new Set(['setOwnCredential 409', 'setProfileCredential 409', 'setGroupCredential 409']);

// Other test files in this process may also have recorded responses.
beforeAll(() => observedResponses.clear());

allJourneys(startInMemory);

test('the journeys trigger every response that the OpenAPI document lists', () => {
  const missingResponses = [...documentedResponses].filter(
    (response) => !observedResponses.has(response) && !manyRecords.has(response),
  );
  expect(documentedResponses.size).toBeGreaterThan(200);
  expect(missingResponses).toEqual([]);
});
