import { expect, test } from 'vitest';
import { type ChangePolicy, emptyChangePolicy, type ExpectedChange } from '../collections/change-policy.ts';
import type { OperationKey } from '../ids.ts';
import { applyChangePolicy } from './change-policy.ts';
import type { Change, ChangeCounts, ChangeLevel, Comparison } from './change.ts';

const now = 1_000;
const key = 'aaaaaaaaaaaaaaaa' as OperationKey;
const otherKey = 'bbbbbbbbbbbbbbbb' as OperationKey;

let changeCount = 0;
const aChange = (level: ChangeLevel, rule: string, fields: Partial<Change> = {}): Change => ({
  rule,
  level,
  operation: { key, method: 'GET', path: '/a' },
  place: '',
  text: `Change ${++changeCount}.`,
  example: null,
  fingerprint: changeCount.toString(16).padStart(12, '0'),
  ...fields,
});

const aComparison = (changes: readonly Change[], unlisted: Partial<ChangeCounts> = {}): Comparison => {
  const count = (level: ChangeLevel) =>
    changes.filter((change) => change.level === level).length + (unlisted[level] ?? 0);
  return { changes, counts: { breaking: count('breaking'), warning: count('warning'), info: count('info') } };
};

const anExpectation = (rule: string, fields: Partial<ExpectedChange> = {}): ExpectedChange => ({
  ...{ rule, operationKey: null, fingerprint: null, reason: 'Agreed', until: now + 1 },
  ...fields,
});

const apply = (changes: readonly Change[], policy: Partial<ChangePolicy>, unlisted: Partial<ChangeCounts> = {}) =>
  applyChangePolicy(aComparison(changes, unlisted), { ...emptyChangePolicy, ...policy }, now);

const [breaking, warning, info] = [aChange('breaking', 'b'), aChange('warning', 'w'), aChange('info', 'i')];

test('an empty policy changes nothing', () => {
  const comparison = aComparison([breaking, warning, info], { info: 7 });
  expect(applyChangePolicy(comparison, emptyChangePolicy, now)).toEqual(comparison);
});

test('a comparison without changes has none', () => {
  const none = { changes: [], counts: { breaking: 0, warning: 0, info: 0 } };
  expect(apply([], { levels: { b: 'ignore' }, expected: [anExpectation('b')] })).toEqual(none);
});

test('each change has the level of its rule, is counted there, and is listed with its level', () => {
  const changes = [breaking, warning, info];
  const { changes: rated, counts } = apply(changes, { levels: { b: 'info', w: 'breaking', i: 'warning', x: 'info' } });
  expect(rated).toEqual([
    { ...warning, level: 'breaking' },
    { ...info, level: 'warning' },
    { ...breaking, level: 'info' },
  ]);
  expect(counts).toEqual({ breaking: 1, warning: 1, info: 1 });
});

test('changes of the same level keep their order', () => {
  const changes = [aChange('breaking', 'b'), aChange('warning', 'w'), aChange('breaking', 'c'), aChange('info', 'b')];
  const texts = apply(changes, { levels: { b: 'warning' } }).changes.map(({ text, level }) => [text, level]);
  expect(texts).toEqual([
    [changes[2]?.text, 'breaking'],
    [changes[0]?.text, 'warning'],
    [changes[1]?.text, 'warning'],
    [changes[3]?.text, 'warning'],
  ]);
});

test('ignored changes are neither listed nor counted', () => {
  expect(apply([breaking, warning], { levels: { b: 'ignore' } })).toEqual(aComparison([warning]));
});

test('an expected change is info, with the reason and the end', () => {
  const { changes, counts } = apply([breaking, warning], { expected: [anExpectation('b', { until: now + 5 })] });
  expect(changes).toEqual([warning, { ...breaking, level: 'info', expected: { reason: 'Agreed', until: now + 5 } }]);
  expect(counts).toEqual({ breaking: 0, warning: 1, info: 1 });
});

test('a change is expected until the end, and then has its level again', () => {
  for (const [until, level] of [
    [now - 1, 'breaking'],
    [now, 'breaking'],
    [now + 1, 'info'],
  ] as const) {
    const [change] = apply([breaking], { expected: [anExpectation('b', { until })] }).changes;
    expect([change?.level, change?.expected?.until]).toEqual([level, level === 'info' ? until : undefined]);
  }
});

test('an expectation fits only its rule, and if it names them, its operation and its fingerprint', () => {
  const document = aChange('breaking', 'b', { operation: null });
  const fits = (fields: Partial<ExpectedChange>, change: Change = breaking) =>
    apply([change], { expected: [anExpectation('b', fields)] }).changes[0]?.expected !== undefined;
  expect(fits({})).toBe(true);
  expect(fits({ rule: 'w' })).toBe(false);
  expect(fits({ operationKey: key })).toBe(true);
  expect(fits({ operationKey: otherKey })).toBe(false);
  expect(fits({ fingerprint: breaking.fingerprint })).toBe(true);
  expect(fits({ fingerprint: warning.fingerprint })).toBe(false);
  expect(fits({ operationKey: key, fingerprint: warning.fingerprint })).toBe(false);
  expect(fits({ operationKey: otherKey, fingerprint: breaking.fingerprint })).toBe(false);
  expect(fits({ operationKey: key }, document)).toBe(false);
  expect(fits({}, document)).toBe(true);
});

test('the first expectation that fits gives the reason', () => {
  const expected = [
    anExpectation('b', { reason: 'Over', until: now }),
    anExpectation('b', { reason: 'Other operation', operationKey: otherKey }),
    anExpectation('b', { reason: 'First' }),
    anExpectation('b', { reason: 'Second' }),
  ];
  expect(apply([breaking], { expected }).changes[0]?.expected?.reason).toBe('First');
});

test('an expectation prevails over the level of the rule, and ignoring prevails over both', () => {
  const expected = [anExpectation('b')];
  expect(apply([breaking], { levels: { b: 'warning' }, expected }).changes[0]?.level).toBe('info');
  expect(apply([breaking], { levels: { b: 'ignore' }, expected }).changes).toEqual([]);
});

test('an expected change that was info still says why', () => {
  expect(apply([info], { expected: [anExpectation('i')] }).changes[0]?.expected?.reason).toBe('Agreed');
});

test('changes that are counted but not listed keep their levels', () => {
  const unlisted = { breaking: 3, warning: 2, info: 1 };
  const { counts } = apply([breaking, warning], { levels: { b: 'ignore', w: 'breaking' } }, unlisted);
  expect(counts).toEqual({ breaking: 4, warning: 2, info: 1 });
});

test('a rule with the name of a member that every object has is not in an empty policy', () => {
  const change = aChange('breaking', 'constructor');
  expect(apply([change], {})).toEqual(aComparison([change]));
  expect(apply([change], { levels: { constructor: 'info' } as ChangePolicy['levels'] }).changes[0]?.level).toBe('info');
});

test('the comparison and its changes are not modified', () => {
  const comparison = aComparison([breaking, warning]);
  const before = structuredClone(comparison);
  applyChangePolicy(comparison, { levels: { b: 'ignore' }, expected: [anExpectation('w')] }, now);
  expect(comparison).toEqual(before);
});
