import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { findInMarkdown, findInScript, findInSource, readWordLists } from './plain-english.ts';

const words = { anywhere: ['whoever', 'under way'], inNames: ['asked'], asNames: ['found'] };
const findInText = (text: string, titlesOnly = false): readonly string[] =>
  findInSource(words, ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true), { titlesOnly });

test('STYLE.md has all three lists', () => {
  const { anywhere, inNames, asNames } = readWordLists(
    readFileSync(join(import.meta.dirname, '../../STYLE.md'), 'utf8'),
  );
  expect(anywhere).toEqual(expect.arrayContaining(['whoever', 'under way', 'told']));
  expect(inNames).toContain('asked');
  expect(asNames).toContain('found');
});

test('a missing list is an error', () => {
  expect(() => readWordLists('\n- in prose and names: `told`\n')).toThrow('no list "as part of a name"');
});

describe('in Markdown', () => {
  test.each([
    ['a forbidden word', 'Say it.\n\nTo Whoever asks.', ['a.md:3: Whoever']],
    ['a forbidden phrase across lines', 'It is under\nway.', ['a.md:1: under\nway']],
    ['a relative pronoun', 'It removes what expires.', ['a.md:1: what']],
  ])('finds %s', (_, text, findings) => {
    expect(findInMarkdown(words, 'a.md', text)).toEqual(findings);
  });

  test.each([
    ['code', 'Run `whoever` in\n\n```\nwhoever\n```\n'],
    ['questions', 'What expires, and when?'],
    ['what to do', 'Logs what to do, and what happened.'],
    ['words that contain one', 'Somewhat'],
  ])('accepts %s', (_, text) => {
    expect(findInMarkdown(words, 'a.md', text)).toEqual([]);
  });
});

test('in scripts, only comments are checked', () => {
  expect(findInScript(words, 'a.sh', '# whoever\necho whoever\nls # whoever')).toEqual([
    'a.sh:1: whoever',
    'a.sh:3: whoever',
  ]);
});

describe('in TypeScript', () => {
  test.each([
    ['a line comment', '// For whoever asks.', ['a.ts:1: whoever']],
    ['a docstring', '/**\n * For\n * whoever asks.\n */\nconst a = 1;', ['a.ts:3: whoever']],
    ['a comment behind code', 'const a = 1; // whoever asks', ['a.ts:1: whoever']],
    ['a message', "log('refused for whoever asks');", ['a.ts:1: whoever']],
    ['a message in a template', 'log(`${a} for whoever asks`);', ['a.ts:1: whoever']],
    ['a name', 'const found = 1;', ['a.ts:1: found']],
    ['a part of a name', 'const lastAskedAt = 1;', ['a.ts:1: lastAskedAt']],
    ['a phrase in a name', 'class C { #underWayMax = 1 }', ['a.ts:1: #underWayMax']],
    ['a pronoun as a name', 'const f = (what: string) => 1;', ['a.ts:1: what']],
  ])('finds %s', (_, text, findings) => {
    expect(findInText(text)).toEqual(findings);
  });

  test.each([
    ['a name that contains one', 'const notFound = 1;'],
    ['a property of an object, which may belong to a different API', 'send({ found: true });'],
    ['a key that is not a sentence', "const a = 'whoever';"],
  ])('accepts %s', (_, text) => {
    expect(findInText(text)).toEqual([]);
  });

  test.each([
    ["test('it is for whoever asks', () => {});", ['a.ts:1: whoever']],
    ['test(`${a} is for whoever asks`, () => {});', ['a.ts:1: whoever']],
    ["const cases = { 'it is for whoever asks': () => {} };", ['a.ts:1: whoever']],
    ["search('a query of whoever asks');", []],
  ])('in tests, only strings that are titles are checked: %s', (text, findings) => {
    expect(findInText(text, true)).toEqual(findings);
  });
});
