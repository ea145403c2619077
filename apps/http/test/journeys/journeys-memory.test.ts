import { beforeAll, expect, test } from 'vitest';
import { documentedResponses, seenResponses } from '../openapi-validator.ts';
import { startInMemory } from '../start-in-memory.ts';
import { allJourneys } from './journeys.ts';

// Other test files in this process may also have recorded responses.
beforeAll(() => seenResponses.clear());

allJourneys(startInMemory);

test('the journeys trigger every response that the OpenAPI document lists', () => {
  const missing = [...documentedResponses].filter((answer) => !seenResponses.has(answer));
  expect(documentedResponses.size).toBeGreaterThan(200);
  expect(missing).toEqual([]);
});
