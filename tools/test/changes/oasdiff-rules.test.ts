import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { changeRules } from '@portico/domain';
import { expect, test } from 'vitest';
import { root } from '../../src/service-process.ts';

const ruleList = resolve(root, '../shared/data/changes/oasdiff-rules.tsv');

const readRows = (file: string): readonly (readonly string[])[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));

/** Each rule of oasdiff, with the rule here that covers it, or the reason why there is none. */
const rows = readRows(resolve(import.meta.dirname, 'oasdiff-rules.tsv'));

test('each rule of oasdiff is covered by a rule here, or there is a reason why not', () => {
  for (const [rule = '', coveredBy = '', reason = ''] of rows)
    expect([rule, coveredBy === '' ? reason.length > 20 : changeRules.has(coveredBy)]).toEqual([rule, true]);
});

test('a rule of oasdiff that has the same id here is covered by it', () => {
  for (const [rule = '', coveredBy] of rows) if (changeRules.has(rule)) expect([rule, coveredBy]).toEqual([rule, rule]);
});

test.skipIf(!existsSync(ruleList))('no rule of oasdiff is missing', () => {
  expect(rows.map(([rule]) => rule)).toEqual(readRows(ruleList).map(([rule]) => rule));
});
