import { expect, test } from 'vitest';
import type { ClientId } from '../ids.ts';
import { type Override, replacedBy } from './limit.ts';

const override = (id: number, isActive: boolean, updatedAt = 0): Override => ({
  id,
  clientId: 'ada' as ClientId,
  isActive,
  allowed: 5,
  windowSeconds: 60,
  createdAt: 0,
  updatedAt,
});

test('an active override makes the active one of the others inactive, which is a change of its own', () => {
  const [active, inactive] = [override(1, true), override(2, false)];
  expect(replacedBy(override(3, true, 60), [active, inactive])).toEqual([
    { ...active, isActive: false, updatedAt: 60 },
  ]);
  expect(replacedBy(override(3, true, 60), [override(1, true, 60)])).toEqual([override(1, false, 61)]);
});

test('an inactive override leaves the others as they are', () => {
  expect(replacedBy(override(3, false, 60), [override(1, true), override(2, false)])).toEqual([]);
});
