import { beforeAll, expect, test } from 'vitest';
import { documentedAnswers, seenAnswers } from '../openapi-judge.ts';
import { startInMemory } from '../start-in-memory.ts';
import { allJourneys } from './journeys.ts';

// Other files in this process may have seen answers too.
beforeAll(() => seenAnswers.clear());

allJourneys(startInMemory);

test('the journeys provoke every answer that the OpenAPI document lists', () => {
  const missing = [...documentedAnswers].filter((answer) => !seenAnswers.has(answer));
  expect(documentedAnswers.size).toBeGreaterThan(200);
  expect(missing).toEqual([]);
});
