import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { findInMarkdown, findInScript, findInSource, readWordLists } from './plain-english.ts';

/** Checks the rules in `STYLE.md` that no linter knows. */
const root = join(import.meta.dirname, '../..');
const files = globSync('{apps,libs,tools}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: (name) => ['node_modules', 'dist', 'out-tsc'].includes(basename(name)),
}).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** All files with prose, including documents, scripts, style sheets and configuration. */
const textFiles = globSync(
  [
    '{apps,libs,tools,docs,deploy,samples,.ci,.github}/**/*.{ts,tsx,mts,mjs,md,sh,py,lua,wat,css,yml,yaml,cfg}',
    '*.{mjs,md,yml}',
    '{Dockerfile,.devcontainer/Dockerfile,.env.example,.ci/run,deploy/portico}',
  ],
  { cwd: root, exclude: ['**/node_modules', '**/dist', '**/out-tsc'] },
).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const isTest = (path: string): boolean => /\.test\.ts$|\/test\//.test(path);
/** Returns whether a file is a list of cases. Such lists may be longer, because they are read one by one. */
const isCaseList = (path: string): boolean => isTest(path) || path.startsWith('libs/contracts/');
const productFiles = files.filter(({ path }) => !isCaseList(path));

const linesOf = (text: string): number => text.split('\n').length - 1;
const [fileLinesMax, caseLinesMax, functionLinesMax] = [400, 500, 70];

const parse = ({ path, text }: { readonly path: string; readonly text: string }): ts.SourceFile =>
  ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );

const nodesIn = (node: ts.Node): readonly ts.Node[] => {
  const nodes = [node];
  // The array grows while the loop reads it.
  for (const parent of nodes) ts.forEachChild(parent, (child) => void nodes.push(child));
  return nodes;
};

test(`files have at most ${fileLinesMax} lines, lists of cases ${caseLinesMax}`, () => {
  const longFiles = files.filter(({ path, text }) => linesOf(text) > (isCaseList(path) ? caseLinesMax : fileLinesMax));
  expect(longFiles.map(({ path, text }) => `${path}: ${linesOf(text)}`)).toEqual([]);
});

test(`functions of the product have at most ${functionLinesMax} lines`, () => {
  const longFunctions = productFiles.flatMap((file) => {
    const source = parse(file);
    const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
    return nodesIn(source)
      .filter(ts.isFunctionLike)
      .map((node) => ({ line: lineAt(node.getStart()), lines: lineAt(node.getEnd()) - lineAt(node.getStart()) + 1 }))
      .filter(({ lines }) => lines > functionLinesMax)
      .map(({ line, lines }) => `${file.path}:${line}: ${lines}`);
  });
  expect(longFunctions).toEqual([]);
});

describe('names are specific', () => {
  const genericWords = ['shared', 'common', 'util', 'utils', 'helper', 'helpers', 'core', 'misc', 'base'];

  test('in files and folders', () => {
    const genericFiles = files.filter(({ path }) => path.split(/[/.]/).some((part) => genericWords.includes(part)));
    expect(genericFiles.map(({ path }) => path)).toEqual([]);
  });

  test('in types, functions and values', () => {
    const isGeneric = (name: string): boolean => /^I[A-Z][a-z]|(Impl|Manager|Helper|Utils?|Base|Dto)$/.test(name);
    const genericNames = productFiles.flatMap((file) =>
      parse(file).statements.flatMap((statement) => {
        const names = ts.isVariableStatement(statement)
          ? statement.declarationList.declarations.map(({ name }) => name.getText())
          : [(statement as { readonly name?: ts.Node }).name?.getText() ?? ''];
        return names.filter(isGeneric).map((name) => `${file.path}: ${name}`);
      }),
    );
    expect(genericNames).toEqual([]);
  });
});

test('docstrings use "returns" and "throws", not "raises"', () => {
  const lines = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(\/\*\*|\*|\/\/).*\b[Rr]ais(e|es|ed)\b(?! to)/.test(line) ? [`${path}:${index + 1}`] : [],
      ),
  );
  expect(lines).toEqual([]);
});

test('there are no import cycles, however long', () => {
  const importsOf = new Map(
    files.map(({ path, text }) => [
      path,
      [...text.matchAll(/(?:from|import) '(\.[^']+\.tsx?)'/g)].map(([, specifier = '']) =>
        normalize(join(dirname(path), specifier)),
      ),
    ]),
  );
  const visitedPaths = new Set<string>();
  const cycles: string[] = [];
  const follow = (path: string, chain: readonly string[]): void => {
    if (chain.includes(path)) cycles.push([...chain.slice(chain.indexOf(path)), path].join(' -> '));
    if (visitedPaths.has(path) || chain.includes(path)) return;
    for (const importedPath of importsOf.get(path) ?? []) follow(importedPath, [...chain, path]);
    visitedPaths.add(path);
  };
  for (const { path } of files) follow(path, []);
  expect(cycles).toEqual([]);
});

test('a test is next to the code that it tests', () => {
  const misplacedTests = files.filter(
    ({ path, text }) =>
      /\/src\/.*\.test\.ts$/.test(path) && !/(?:from|import\() ?'\.\.?\/|import\.meta\.dirname/.test(text),
  );
  expect(misplacedTests.map(({ path }) => path)).toEqual([]);
});

test('no test has its own time limit', () => {
  const timeLimitPatterns = [
    /\b(?:test|it|describe)\b.*\{ time(?:out): /,
    /^ +\{ time(?:out): [\d_* ]+\},$/m,
    /^ *\}, [\d_]{3,}\);$/m,
    /setConfig\(\{ (?:test|hook)Timeout/,
  ];
  const filesWithLimits = files.filter(
    ({ path, text }) => isTest(path) && timeLimitPatterns.some((pattern) => pattern.test(text)),
  );
  expect(filesWithLimits.map(({ path }) => path)).toEqual([]);
});

test('comments, documents, titles, messages and names have no forbidden words', () => {
  const words = readWordLists(readFileSync(join(root, 'STYLE.md'), 'utf8'));
  const forbiddenWords = textFiles.flatMap(({ path, text }) => {
    if (path.endsWith('.md')) return findInMarkdown(words, path, text);
    if (/\.m?[jt]sx?$/.test(path)) return findInSource(words, parse({ path, text }), { titlesOnly: isCaseList(path) });
    return findInScript(words, path, text);
  });
  expect(forbiddenWords).toEqual([]);
});
