import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { changeRules, type Json, type JsonObject } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { root } from '../../src/service-process.ts';
import { compare, parseDocument } from './compare-texts.ts';
import { ExampleValidator } from './validate-example.ts';

const file = resolve(root, '../shared/data/changes/pairs-dev.jsonl');
const isPresent = existsSync(file);
if (!isPresent) process.stderr.write(`Skipped: there are no pairs of documents at ${file}\n`);

interface Pair {
  readonly suite: string;
  readonly id: string;
  readonly before: string;
  readonly after: string;
  /** The verdict that the authors of the suite and others agree on; null if it is a matter of policy. */
  readonly decided: 'breaking' | 'clean' | null;
}

const pairs = isPresent
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Pair)
  : [];

describe.skipIf(!isPresent)('pairs of documents with known verdicts', () => {
  const compareTexts = ({ before, after }: Pair) => {
    const documents = [parseDocument(before) as JsonObject, parseDocument(after) as JsonObject] as const;
    return { documents, comparison: compare(...documents) };
  };

  test('at least 95 % of the decided ones get the verdict, and each change has a known rule', () => {
    const decidedPairs = pairs.filter(({ decided }) => decided !== null);
    const wrongPairs = decidedPairs.filter((pair) => {
      const { counts, changes } = compareTexts(pair).comparison;
      expect(changes.map(({ rule }) => rule).filter((rule) => !changeRules.has(rule))).toEqual([]);
      return (counts.breaking > 0 ? 'breaking' : 'clean') !== pair.decided;
    });
    expect(decidedPairs.length).toBeGreaterThan(200);
    expect(wrongPairs.map(({ suite, id }) => `${suite} ${id}`).slice(Math.floor(decidedPairs.length * 0.05))).toEqual(
      [],
    );
  });

  test('each breaking change of a schema has an example, which one document accepts and the other rejects', () => {
    let count = 0;
    for (const pair of pairs) {
      const { documents, comparison } = compareTexts(pair);
      const validators = comparison.changes.some(({ example }) => example !== null)
        ? documents.map((document) => new ExampleValidator(document))
        : [];
      const [before, after] = validators;
      for (const change of comparison.changes) {
        const isSchema = /^(request-(body|parameter|property)|response-(body|property|header|optional|required))/.test(
          change.rule,
        );
        if (change.example === null) {
          const isOfSchema = isSchema && / \/| application\/json$/.test(change.place) && change.level === 'breaking';
          expect([pair.suite, pair.id, change.rule, isOfSchema]).toEqual([pair.suite, pair.id, change.rule, false]);
          continue;
        }
        const example = JSON.parse(change.example) as Json;
        const verdicts = [before?.accepts(change, example), after?.accepts(change, example)];
        const expectedVerdicts = change.place.startsWith('response') ? [false, true] : [true, false];
        expect([pair.suite, pair.id, change.rule, change.example, ...verdicts]).toEqual([
          ...[pair.suite, pair.id, change.rule, change.example],
          ...expectedVerdicts,
        ]);
        count++;
      }
    }
    expect(count).toBeGreaterThan(60);
  });
});
