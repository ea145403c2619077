import { expect, test } from 'vitest';
import { apiLabels } from './api-label.ts';

const tides = { id: '11111111-1111-4111-8111-111111111111', name: 'Tides' };
const same = { id: '22222222-2222-4222-8222-222222222222', name: 'TIDES' };
const other = { id: '33333333-3333-4333-8333-333333333333', name: 'Berths' };

test('APIs of one name are told apart by their ids, and no others', () => {
  const labelOf = apiLabels([tides, other, same, tides]);
  expect([tides, same, other].map(labelOf)).toEqual(['Tides · 11111111', 'TIDES · 22222222', 'Berths']);
});

test('one that comes twice is no other', () => {
  expect(apiLabels([tides, tides])(tides)).toBe('Tides');
});
