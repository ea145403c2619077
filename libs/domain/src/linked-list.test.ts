import { array, assert, constantFrom, nat, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { LinkedList, type ListNode } from './linked-list.ts';

const valuesOf = <Value>(list: LinkedList<Value>): readonly Value[] =>
  [...list.iterateNodes()].map(({ value }) => value);

test('it contains the same values as a set, in the same order, after any additions and removals', () => {
  const steps = array(tuple(constantFrom('add', 'remove'), nat(20)));
  assert(
    property(steps, (sequence) => {
      const list = new LinkedList<number>();
      const set = new Set<number>();
      const nodes: ListNode<number>[] = [];
      for (const [index, [step, position]] of sequence.entries()) {
        const node = nodes[position % Math.max(1, nodes.length)];
        if (step === 'add') {
          nodes.push(list.add(index));
          set.add(index);
        } else if (node) expect(list.remove(node)).toBe(set.delete(node.value));
        expect(valuesOf(list)).toEqual([...set]);
        expect(list.size).toBe(set.size);
        expect(list.first?.value).toBe([...set][0]);
      }
    }),
  );
});

test('the last yielded node may be removed', () => {
  const list = new LinkedList<number>();
  for (const value of [1, 2, 3]) list.add(value);
  const visitedValues: number[] = [];
  for (const node of list.iterateNodes()) {
    visitedValues.push(node.value);
    list.remove(node);
  }
  expect(visitedValues).toEqual([1, 2, 3]);
  expect(valuesOf(list)).toEqual([]);
});

test('a removed node has no references to other nodes', () => {
  const list = new LinkedList<number>();
  const nodes = [1, 2, 3].map((value) => list.add(value));
  for (const node of nodes) list.remove(node);
  expect(nodes).toEqual([1, 2, 3].map((value) => ({ value, previous: null, next: null })));
});
