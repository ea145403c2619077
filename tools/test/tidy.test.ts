import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { findInMarkdown, findInScript, findInSource, readRefusedWords } from './plain-english.ts';

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
const isCases = (path: string): boolean => isTest(path) || path.startsWith('libs/contracts/');
const product = files.filter(({ path }) => !isCases(path));

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
  for (const one of nodes) ts.forEachChild(one, (child) => void nodes.push(child));
  return nodes;
};

test(`files have at most ${fileLinesMax} lines, lists of cases ${caseLinesMax}`, () => {
  const long = files.filter(({ path, text }) => linesOf(text) > (isCases(path) ? caseLinesMax : fileLinesMax));
  expect(long.map(({ path, text }) => `${path}: ${linesOf(text)}`)).toEqual([]);
});

test(`functions of the product have at most ${functionLinesMax} lines`, () => {
  const long = product.flatMap((file) => {
    const source = parse(file);
    const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
    return nodesIn(source)
      .filter(ts.isFunctionLike)
      .map((node) => ({ line: lineAt(node.getStart()), lines: lineAt(node.getEnd()) - lineAt(node.getStart()) + 1 }))
      .filter(({ lines }) => lines > functionLinesMax)
      .map(({ line, lines }) => `${file.path}:${line}: ${lines}`);
  });
  expect(long).toEqual([]);
});

describe('names are specific', () => {
  const genericWords = ['shared', 'common', 'util', 'utils', 'helper', 'helpers', 'core', 'misc', 'base'];

  test('in files and folders', () => {
    const generic = files.filter(({ path }) => path.split(/[/.]/).some((part) => genericWords.includes(part)));
    expect(generic.map(({ path }) => path)).toEqual([]);
  });

  test('in types, functions and values', () => {
    const isGeneric = (name: string): boolean => /^I[A-Z][a-z]|(Impl|Manager|Helper|Utils?|Base|Dto)$/.test(name);
    const generic = product.flatMap((file) =>
      parse(file).statements.flatMap((statement) => {
        const names = ts.isVariableStatement(statement)
          ? statement.declarationList.declarations.map(({ name }) => name.getText())
          : [(statement as { readonly name?: ts.Node }).name?.getText() ?? ''];
        return names.filter(isGeneric).map((name) => `${file.path}: ${name}`);
      }),
    );
    expect(generic).toEqual([]);
  });
});

test('docstrings say returns and throws', () => {
  const lines = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        /^\s*(\/\*\*|\*|\/\/).*\b[Rr]ais(e|es|ed)\b(?! to)/.test(line) ? [`${path}:${at + 1}`] : [],
      ),
  );
  expect(lines).toEqual([]);
});

test('there are no import cycles, however long', () => {
  const importsOf = new Map(
    files.map(({ path, text }) => [
      path,
      [...text.matchAll(/(?:from|import) '(\.[^']+\.tsx?)'/g)].map(([, to = '']) => normalize(join(dirname(path), to))),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const follow = (path: string, chain: readonly string[]): void => {
    if (chain.includes(path)) cycles.push([...chain.slice(chain.indexOf(path)), path].join(' -> '));
    if (done.has(path) || chain.includes(path)) return;
    for (const next of importsOf.get(path) ?? []) follow(next, [...chain, path]);
    done.add(path);
  };
  for (const { path } of files) follow(path, []);
  expect(cycles).toEqual([]);
});

test('a test is next to the code that it tests', () => {
  const strays = files.filter(
    ({ path, text }) =>
      /\/src\/.*\.test\.ts$/.test(path) && !/(?:from|import\() ?'\.\.?\/|import\.meta\.dirname/.test(text),
  );
  expect(strays.map(({ path }) => path)).toEqual([]);
});

test('no test has its own time limit', () => {
  const limits = [
    /\b(?:test|it|describe)\b.*\{ time(?:out): /,
    /^ +\{ time(?:out): [\d_* ]+\},$/m,
    /^ *\}, [\d_]{3,}\);$/m,
    /setConfig\(\{ (?:test|hook)Timeout/,
  ];
  const limited = files.filter(({ path, text }) => isTest(path) && limits.some((limit) => limit.test(text)));
  expect(limited.map(({ path }) => path)).toEqual([]);
});

test('comments, documents, titles, messages and names have no refused words', () => {
  const words = readRefusedWords(readFileSync(join(root, 'STYLE.md'), 'utf8'));
  const refusals = textFiles.flatMap(({ path, text }) => {
    if (path.endsWith('.md')) return findInMarkdown(words, path, text);
    if (/\.m?[jt]sx?$/.test(path)) return findInSource(words, parse({ path, text }), { titlesOnly: isCases(path) });
    return findInScript(words, path, text);
  });
  expect(refusals).toEqual([]);
});
