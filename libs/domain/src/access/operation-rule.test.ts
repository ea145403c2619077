import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OperationKey } from '../ids.ts';
import {
  callPermissionOf,
  isNarrow,
  unrestrictedRule,
  type CallPermission,
  type OperationRule,
} from './operation-rule.ts';

const keyOf = (letter: string) => letter.repeat(16) as OperationKey;
const operations = [
  { key: keyOf('a'), method: 'GET' },
  { key: keyOf('b'), method: 'HEAD' },
  { key: keyOf('c'), method: 'POST' },
  { key: keyOf('d'), method: 'DELETE' },
] as const;
const [get, head, post, remove] = operations;
const ruleWith = (parts: Partial<OperationRule>): OperationRule => ({ ...unrestrictedRule, ...parts });
const permissionsIn = (...rules: readonly OperationRule[]): readonly CallPermission[] =>
  operations.map((operation) => callPermissionOf(rules, operation));

test.each<readonly [string, OperationRule, readonly CallPermission[]]>([
  ['everything', unrestrictedRule, ['allowed', 'allowed', 'allowed', 'allowed']],
  ['GET and HEAD', ruleWith({ operations: 'read_only' }), ['allowed', 'allowed', 'denied', 'denied']],
  ['the listed operations', ruleWith({ operations: [post.key] }), ['denied', 'denied', 'allowed', 'denied']],
  ['nothing', ruleWith({ operations: [] }), ['denied', 'denied', 'denied', 'denied']],
  ['all but one', ruleWith({ except: [head.key] }), ['allowed', 'denied', 'allowed', 'allowed']],
  [
    'read operations but one',
    ruleWith({ operations: 'read_only', except: [get.key] }),
    ['denied', 'allowed', 'denied', 'denied'],
  ],
  [
    'listed operations but one',
    ruleWith({ operations: [get.key, post.key], except: [post.key] }),
    ['allowed', 'denied', 'denied', 'denied'],
  ],
  ['all, one after a decision', ruleWith({ ask: [remove.key] }), ['allowed', 'allowed', 'allowed', 'ask']],
  [
    'only those in `operations`, even if it asks for more',
    ruleWith({ operations: 'read_only', ask: [get.key, remove.key] }),
    ['ask', 'allowed', 'denied', 'denied'],
  ],
])('a rule allows %s', (_name, rule, expected) => {
  expect(permissionsIn(rule)).toEqual(expected);
});

test('without rules, nothing may be called', () => {
  expect(permissionsIn()).toEqual(['denied', 'denied', 'denied', 'denied']);
});

const keys = fc.subarray(operations.map(({ key }) => key));
const rule = fc.record({
  operations: fc.oneof(fc.constantFrom('all' as const, 'read_only' as const), keys),
  except: keys,
  ask: keys,
});
const rules = fc.array(rule, { maxLength: 4 });

test('several rules allow all that one of them allows, and ask only if each that allows it asks', () => {
  const better = { allowed: 2, ask: 1, denied: 0 } as const;
  fc.assert(
    fc.property(rules, fc.constantFrom(...operations), (list, operation) => {
      const best = list
        .map((item) => callPermissionOf([item], operation))
        .reduce<CallPermission>((a, b) => (better[a] >= better[b] ? a : b), 'denied');
      expect(callPermissionOf(list, operation)).toBe(best);
      expect(callPermissionOf(list.toReversed(), operation)).toBe(best);
    }),
  );
});

test('rules that are not narrow allow every operation without a decision', () => {
  fc.assert(
    fc.property(rules, fc.constantFrom(...operations), (list, operation) => {
      if (!isNarrow(list)) expect(callPermissionOf(list, operation)).toBe('allowed');
    }),
  );
});

test.each<readonly [boolean, readonly OperationRule[]]>([
  [true, []],
  [true, [ruleWith({ operations: 'read_only' })]],
  [true, [ruleWith({ operations: [] })]],
  [true, [ruleWith({ except: [get.key] })]],
  [true, [ruleWith({ ask: [get.key] })]],
  [true, [ruleWith({ except: [get.key] }), ruleWith({ ask: [post.key] })]],
  [false, [unrestrictedRule]],
  [false, [ruleWith({ operations: 'read_only' }), unrestrictedRule]],
])('narrow is %s for %j', (expected, list) => {
  expect(isNarrow(list)).toBe(expected);
});
