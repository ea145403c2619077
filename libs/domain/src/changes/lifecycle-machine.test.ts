import { expect, test } from 'vitest';
import {
  activeLifecycle,
  isSameLifecycle,
  type Lifecycle,
  type LifecycleEdit,
  type LifecycleState,
  lifecycleStates,
} from '../collections/lifecycle.ts';
import type { CollectionId } from '../ids.ts';
import { applyLifecycleEdit, rejectRetired } from './lifecycle-machine.ts';

const id = 'c' as CollectionId;
const successor = 's' as CollectionId;
const deprecated: Lifecycle = { state: 'deprecated', since: 5, sunset: 9, successor, text: 'Use the new one.' };
const lifecycles: Readonly<Record<LifecycleState, Lifecycle>> = {
  active: activeLifecycle,
  deprecated,
  retired: { ...deprecated, state: 'retired' },
};

const edit = (lifecycle: Lifecycle, change: LifecycleEdit) => applyLifecycleEdit({ id, lifecycle }, change, 7);

test('every state can follow every other, except that an active collection is deprecated before it is retired', () => {
  for (const from of lifecycleStates) {
    for (const state of lifecycleStates) {
      if (from === 'active' && state === 'retired')
        expect(() => edit(lifecycles[from], { state })).toThrow('Collection not deprecated: deprecate it first');
      else expect(edit(lifecycles[from], { state }).state).toBe(state);
    }
  }
});

test('a deprecation without a time begins now, and keeps its time and details when it is set again', () => {
  expect(edit(activeLifecycle, { state: 'deprecated' })).toEqual({ ...activeLifecycle, state: 'deprecated', since: 7 });
  expect(edit(deprecated, { state: 'deprecated' })).toEqual(deprecated);
  expect(edit(deprecated, { state: 'retired' })).toEqual(lifecycles.retired);
  expect(edit(lifecycles.retired, { state: 'deprecated', text: 'Back.' })).toEqual({ ...deprecated, text: 'Back.' });
});

test('null removes a detail, and an active collection has none', () => {
  const change = { state: 'deprecated', sunset: null, successor: null, text: null } as const;
  expect(edit(deprecated, change)).toEqual({ ...activeLifecycle, state: 'deprecated', since: 5 });
  expect(edit(lifecycles.retired, { state: 'active' })).toEqual(activeLifecycle);
});

test('the sunset may be the moment of the deprecation, but not before it', () => {
  expect(edit(activeLifecycle, { state: 'deprecated', since: 8, sunset: 8 })).toMatchObject({ since: 8, sunset: 8 });
  const message = 'sunset must not be before since';
  expect(() => edit(activeLifecycle, { state: 'deprecated', since: 8, sunset: 7 })).toThrow(message);
  expect(() => edit(activeLifecycle, { state: 'deprecated', sunset: 6 })).toThrow(message);
  expect(() => edit(deprecated, { state: 'retired', since: 10 })).toThrow(message);
});

test('a collection is not its own successor', () => {
  expect(() => edit(deprecated, { state: 'deprecated', successor: id })).toThrow('must be another collection');
});

test('lifecycles are the same only if all their parts are', () => {
  expect(isSameLifecycle(deprecated, { ...deprecated })).toBe(true);
  const others = [{ since: 4 }, { sunset: null }, { successor: null }, { text: '' }, { state: 'retired' as const }];
  for (const other of others) expect(isSameLifecycle(deprecated, { ...deprecated, ...other })).toBe(false);
});

test('only a retired collection is rejected, with its successor if there is one', () => {
  expect(() => rejectRetired({ lifecycle: deprecated })).not.toThrow();
  expect(() => rejectRetired({ lifecycle: lifecycles.retired })).toThrow('Collection retired: use s instead');
  const lifecycle = { ...lifecycles.retired, successor: null };
  expect(() => rejectRetired({ lifecycle })).toThrow('Collection retired: ask an administrator which API to use');
});
