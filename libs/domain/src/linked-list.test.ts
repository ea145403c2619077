import { array, assert, constantFrom, nat, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { LinkedList, type ListNode } from './linked-list.ts';

const valuesOf = <Value>(list: LinkedList<Value>): readonly Value[] => [...list.nodes()].map(({ value }) => value);

test('it contains the same values as a set, in the same order, after any additions and removals', () => {
  const steps = array(tuple(constantFrom('add', 'remove'), nat(20)));
  assert(
    property(steps, (sequence) => {
      const list = new LinkedList<number>();
      const set = new Set<number>();
      const nodes: ListNode<number>[] = [];
      for (const [at, [step, which]] of sequence.entries()) {
        const node = nodes[which % Math.max(1, nodes.length)];
        if (step === 'add') {
          nodes.push(list.add(at));
          set.add(at);
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
  const seen: number[] = [];
  for (const node of list.nodes()) {
    seen.push(node.value);
    list.remove(node);
  }
  expect(seen).toEqual([1, 2, 3]);
  expect(valuesOf(list)).toEqual([]);
});

test('a removed node refers to no other', () => {
  const list = new LinkedList<number>();
  const nodes = [1, 2, 3].map((value) => list.add(value));
  for (const node of nodes) list.remove(node);
  expect(nodes).toEqual([1, 2, 3].map((value) => ({ value, previous: null, next: null })));
});
