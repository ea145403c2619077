import { expect, test } from 'vitest';
import { createApiLabeler } from './api-label.ts';

const tides = { id: '11111111-1111-4111-8111-111111111111', name: 'Tides' };
const sameName = { id: '22222222-2222-4222-8222-222222222222', name: 'TIDES' };
const berths = { id: '33333333-3333-4333-8333-333333333333', name: 'Berths' };

test('only APIs with the same name are distinguished by their ids', () => {
  const labelOf = createApiLabeler([tides, berths, sameName, tides]);
  expect([tides, sameName, berths].map(labelOf)).toEqual(['Tides · 11111111', 'TIDES · 22222222', 'Berths']);
});

test('an API that is listed twice is labelled only with its name', () => {
  expect(createApiLabeler([tides, tides])(tides)).toBe('Tides');
});
