import { expect, test } from 'vitest';
import type { CollectionId, OperationKey, ProfileId } from '../ids.ts';
import { createOperationCounter, pendingOperationsMax } from './operation-counter.ts';
import type { OperationDayUse } from './usage.ts';

const useOf = (fields: Partial<OperationDayUse> = {}): OperationDayUse => ({
  day: 1,
  profileId: 'ada' as ProfileId,
  collectionId: 'weather' as CollectionId,
  operationKey: 'forecast' as OperationKey,
  counts: { slice: 1, call: 2 },
  lastUsedAt: 7,
  ...fields,
});

test('uses are added up by day, profile, collection and operation', () => {
  const counter = createOperationCounter();
  const differentUses = [
    useOf({ day: 2 }),
    useOf({ profileId: 'bob' as ProfileId }),
    useOf({ collectionId: 'roads' as CollectionId }),
    useOf({ operationKey: 'history' as OperationKey }),
  ];
  for (const use of [useOf({ lastUsedAt: 9 }), ...differentUses, useOf({ lastUsedAt: 8 })]) counter.add(use);
  expect(counter.take()).toEqual([useOf({ counts: { slice: 2, call: 4 }, lastUsedAt: 9 }), ...differentUses]);
  expect(counter.take()).toEqual([]);
});

test(`uses of more than ${pendingOperationsMax} operations are ignored, those that wait are still counted`, () => {
  const counter = createOperationCounter();
  for (let i = 0; i < pendingOperationsMax + 2; i += 1)
    counter.add(useOf({ operationKey: `key ${i}` as OperationKey }));
  counter.add(useOf({ operationKey: 'key 0' as OperationKey }));
  const uses = counter.take();
  expect([uses.length, uses[0]?.counts.slice, uses.at(-1)?.counts.slice]).toEqual([pendingOperationsMax, 2, 1]);
  counter.add(useOf());
  expect(counter.take()).toHaveLength(1);
});
