import { array, assert, constantFrom, nat, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { LinkedList, type ListPlace } from './linked-list.ts';

const valuesOf = <Value>(list: LinkedList<Value>): readonly Value[] => [...list.places()].map(({ value }) => value);

test('it has what a set has, in the same order, whatever is added and removed', () => {
  const steps = array(tuple(constantFrom('add', 'remove'), nat(20)));
  assert(
    property(steps, (taken) => {
      const list = new LinkedList<number>();
      const set = new Set<number>();
      const places: ListPlace<number>[] = [];
      for (const [at, [step, which]] of taken.entries()) {
        const place = places[which % Math.max(1, places.length)];
        if (step === 'add') {
          places.push(list.add(at));
          set.add(at);
        } else if (place) expect(list.remove(place)).toBe(set.delete(place.value));
        expect(valuesOf(list)).toEqual([...set]);
        expect(list.size).toBe(set.size);
        expect(list.first?.value).toBe([...set][0]);
      }
    }),
  );
});

test('the place that was returned last may be removed', () => {
  const list = new LinkedList<number>();
  for (const value of [1, 2, 3]) list.add(value);
  const seen: number[] = [];
  for (const place of list.places()) {
    seen.push(place.value);
    list.remove(place);
  }
  expect(seen).toEqual([1, 2, 3]);
  expect(valuesOf(list)).toEqual([]);
});

test('a place that was removed leads to no other', () => {
  const list = new LinkedList<number>();
  const places = [1, 2, 3].map((value) => list.add(value));
  for (const place of places) list.remove(place);
  expect(places).toEqual([1, 2, 3].map((value) => ({ value, before: null, after: null })));
});
