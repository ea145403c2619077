import { expect, test } from 'vitest';
import type { OperationRule } from '../access/operation-rule.ts';
import type { OperationKey } from '../ids.ts';
import { applyRuleEdit, isSameRule, keysIn } from './rule-edit.ts';

const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(16) as OperationKey) as [
  OperationKey,
  OperationKey,
  OperationKey,
];
const rule: OperationRule = { operations: 'read_only', except: [a], ask: [b] };

test('parts that a change does not set remain as they are', () => {
  expect(applyRuleEdit(rule, {})).toEqual(rule);
  expect(applyRuleEdit(rule, { operations: [c] })).toEqual({ ...rule, operations: [c] });
  expect(applyRuleEdit(rule, { except: [] })).toEqual({ ...rule, except: [] });
  expect(applyRuleEdit(rule, { ask: [c] })).toEqual({ ...rule, ask: [c] });
  expect(applyRuleEdit(null, { ask: [c] })).toEqual({ operations: 'all', except: [], ask: [c] });
});

test('a rule without restrictions is null', () => {
  expect(applyRuleEdit(null, {})).toBeNull();
  expect(applyRuleEdit(rule, { operations: 'all', except: [], ask: [] })).toBeNull();
  expect(applyRuleEdit(null, { operations: [] })).toEqual({ operations: [], except: [], ask: [] });
});

test('repeated keys are removed', () => {
  expect(applyRuleEdit(null, { operations: [b, a, b], except: [a, a], ask: [c, b, c] })).toEqual({
    operations: [b, a],
    except: [a],
    ask: [c, b],
  });
  expect(keysIn({ operations: [b, a, b], except: [a], ask: [c] })).toEqual([b, a, c]);
  expect(keysIn({ operations: 'read_only' })).toEqual([]);
});

test('rules are the same if all parts are', () => {
  expect(isSameRule(rule, { ask: [b], except: [a], operations: 'read_only' })).toBe(true);
  expect(isSameRule(null, null)).toBe(true);
  expect(isSameRule(rule, null)).toBe(false);
  for (const other of [{ operations: 'all' as const }, { except: [] }, { ask: [a] }])
    expect(isSameRule(rule, { ...rule, ...other })).toBe(false);
});
