import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readLabelledCollections } from './labelled-collections.ts';
import { DataError } from './labelled-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-judged-'));
afterAll(() => rmSync(folder, { recursive: true }));

const validCorpus = '{"id": "a", "name": "Weather", "description": "Forecasts"}\n\n{"id": "b", "name": "Mail"}\n';
const validQueries = '[\n {"id": "q", "query": "rain", "kind": "plain", "relevant": {"a": 2, "b": 1}}\n]';

const read = (corpus: string | Buffer, queries: string | Buffer = validQueries) => {
  const [corpusFile, queriesFile] = [join(folder, 'corpus.jsonl'), join(folder, 'queries.json')];
  writeFileSync(corpusFile, corpus);
  writeFileSync(queriesFile, queries);
  return readLabelledCollections(corpusFile, queriesFile);
};

test('a corpus and its queries are read; empty lines and a byte order mark are ignored', () => {
  const { apis, queries } = read(`\ufeff${validCorpus}`);
  expect(apis.map(({ id, name, description }) => ({ id, name, description }))).toEqual([
    { id: 'a', name: 'Weather', description: 'Forecasts' },
    { id: 'b', name: 'Mail', description: '' },
  ]);
  const relevant = new Map([
    ['a', 2],
    ['b', 1],
  ]);
  expect(queries).toEqual([{ id: 'q', text: 'rain', kind: 'plain', relevant }]);
});

test.each<[string, string | Buffer, string]>([
  ['a line that is not JSON', `${validCorpus}{"id": `, 'corpus.jsonl, line 4: not valid JSON'],
  ['a line that is not an object', '["a"]\n', 'corpus.jsonl, line 1: a record must be a JSON object'],
  ['no id', '{"name": "Weather"}', 'corpus.jsonl, line 1: "id" must be a non-empty string'],
  ['an empty name', '{"id": "a", "name": " "}', 'corpus.jsonl, line 1: "name" must be a non-empty string'],
  ['a repeated id', `${validCorpus}{"id": "a", "name": "W"}`, 'line 4: an earlier record already has the id "a"'],
  ['a long name', `{"id": "a", "name": "${'x'.repeat(201)}"}`, '"name" must be one line of at most 200 characters'],
  [
    'a number as its description',
    '{"id": "a", "name": "W", "description": 1}',
    'line 1: "description" must be a string',
  ],
  ['a long description', `{"id":"a","name":"W","description":"${'x'.repeat(10_001)}"}`, 'at most 10000 characters'],
  ['no records', ' \n', 'corpus.jsonl: it contains no records'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff]), 'corpus.jsonl: it is not valid UTF-8'],
])('a corpus with %s is rejected, and the error names the place', (_, corpus, message) => {
  expect(() => read(corpus)).toThrow(DataError);
  expect(() => read(corpus)).toThrow(message);
});

const query = (change: object) =>
  `[\n{"id": "p", "query": "x", "kind": "k", "relevant": {"a": 1}},\n${JSON.stringify({ id: 'q', query: 'rain', kind: 'k', relevant: { a: 2 }, ...change })}]`;

test.each<[string, string, string]>([
  ['broken JSON', '[\n{"id": 1,\n]', 'queries.json, line 3, column 1: not valid JSON'],
  ['an object', '{}', 'queries.json: it must contain a JSON array'],
  ['no query', '[]', 'queries.json: it contains no records'],
  ['a string instead of a query', '[\n\n"rain"]', 'queries.json, line 3: a record must be a JSON object'],
  ['an empty query', query({ query: '' }), 'queries.json, line 3: "query" must be a non-empty string'],
  ['a long query', query({ query: 'x'.repeat(2_001) }), '"query" must have at most 2000 characters'],
  ['the same id twice', query({ id: 'p' }), 'line 3: an earlier record already has the id "p"'],
  ['the kind "all"', query({ kind: 'all' }), 'line 3: "kind" must not be "all"'],
  ['a list as "relevant"', query({ relevant: ['a'] }), 'line 3: "relevant" must be an object of grades'],
  ['nothing relevant', query({ relevant: {} }), 'line 3: "relevant" must name at least one API'],
  ['an unknown API', query({ relevant: { z: 2 } }), 'line 3: "relevant" names "z", which is not in the corpus'],
  ['a grade of 3', query({ relevant: { a: 3 } }), 'line 3: the grade of a must be 2 (direct answer) or 1 (related)'],
  ['a grade of 0', query({ relevant: { a: 0 } }), 'line 3: the grade of a must be'],
])('queries with %s are rejected, and the error names the place', (_, queries, message) => {
  expect(() => read(validCorpus, queries)).toThrow(DataError);
  expect(() => read(validCorpus, queries)).toThrow(message);
});

test('a name of 200 and a description of 10,000 characters are accepted', () => {
  const line = JSON.stringify({ id: 'a', name: 'x'.repeat(200), description: 'y'.repeat(10_000) });
  expect(read(`${line}\n{"id": "b", "name": "Mail"}`).apis).toHaveLength(2);
});

test('the error for a missing file names it', () => {
  expect(() => readLabelledCollections(join(folder, 'none.jsonl'), join(folder, 'none.json'))).toThrow(
    'none.jsonl: no such file',
  );
});
