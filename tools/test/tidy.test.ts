import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** Checks what `STYLE.md` promises and no linter knows. */
const root = join(import.meta.dirname, '../..');
const files = globSync('{apps,libs,tools}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: (name) => ['node_modules', 'dist', 'out-tsc'].includes(basename(name)),
}).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const isTest = (path: string): boolean => /\.test\.ts$|\/test\//.test(path);
/** Lists of cases may be longer, because they are read one by one. */
const isCases = (path: string): boolean => isTest(path) || path.startsWith('libs/contracts/');
const product = files.filter(({ path }) => !isCases(path));

const linesOf = (text: string): number => text.split('\n').length - 1;
const [fileLinesMax, caseLinesMax, functionLinesMax] = [400, 500, 70];

const parsed = ({ path, text }: { readonly path: string; readonly text: string }): ts.SourceFile =>
  ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );

const nodesIn = (node: ts.Node): readonly ts.Node[] => {
  const nodes = [node];
  // Grows while it is read.
  for (const one of nodes) ts.forEachChild(one, (child) => void nodes.push(child));
  return nodes;
};

test(`files have at most ${fileLinesMax} lines, lists of cases ${caseLinesMax}`, () => {
  const long = files.filter(({ path, text }) => linesOf(text) > (isCases(path) ? caseLinesMax : fileLinesMax));
  expect(long.map(({ path, text }) => `${path}: ${linesOf(text)}`)).toEqual([]);
});

test(`functions of the product have at most ${functionLinesMax} lines`, () => {
  const long = product.flatMap((file) => {
    const source = parsed(file);
    const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
    return nodesIn(source)
      .filter(ts.isFunctionLike)
      .map((node) => ({ line: lineAt(node.getStart()), lines: lineAt(node.getEnd()) - lineAt(node.getStart()) + 1 }))
      .filter(({ lines }) => lines > functionLinesMax)
      .map(({ line, lines }) => `${file.path}:${line}: ${lines}`);
  });
  expect(long).toEqual([]);
});

describe('names say what a thing is', () => {
  const emptyWords = ['shared', 'common', 'util', 'utils', 'helper', 'helpers', 'core', 'misc', 'base'];

  test('of files and folders', () => {
    const empty = files.filter(({ path }) => path.split(/[/.]/).some((part) => emptyWords.includes(part)));
    expect(empty.map(({ path }) => path)).toEqual([]);
  });

  test('of types, functions and values', () => {
    const isEmpty = (name: string): boolean => /^I[A-Z][a-z]|(Impl|Manager|Helper|Utils?|Base|Dto)$/.test(name);
    const empty = product.flatMap((file) =>
      parsed(file).statements.flatMap((statement) => {
        const names = ts.isVariableStatement(statement)
          ? statement.declarationList.declarations.map(({ name }) => name.getText())
          : [(statement as { readonly name?: ts.Node }).name?.getText() ?? ''];
        return names.filter(isEmpty).map((name) => `${file.path}: ${name}`);
      }),
    );
    expect(empty).toEqual([]);
  });
});

test('docstrings say returns and throws', () => {
  const others = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        /^\s*(\/\*\*|\*|\/\/).*\b[Rr]ais(e|es|ed)\b(?! to)/.test(line) ? [`${path}:${at + 1}`] : [],
      ),
  );
  expect(others).toEqual([]);
});

test('there are no import cycles, however long', () => {
  const importsOf = new Map(
    files.map(({ path, text }) => [
      path,
      [...text.matchAll(/(?:from|import) '(\.[^']+\.tsx?)'/g)].map(([, to = '']) => normalize(join(dirname(path), to))),
    ]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const follow = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    if (done.has(path) || way.includes(path)) return;
    for (const next of importsOf.get(path) ?? []) follow(next, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) follow(path, []);
  expect(circles).toEqual([]);
});

test('a test is beside the code that it tests', () => {
  const strays = files.filter(
    ({ path, text }) =>
      /\/src\/.*\.test\.ts$/.test(path) && !/(?:from|import\() ?'\.\.?\/|import\.meta\.dirname/.test(text),
  );
  expect(strays.map(({ path }) => path)).toEqual([]);
});

test('no test has a time limit of its own', () => {
  const limits = [
    /\b(?:test|it|describe)\b.*\{ time(?:out): /,
    /^ +\{ time(?:out): [\d_* ]+\},$/m,
    /^ *\}, [\d_]{3,}\);$/m,
    /setConfig\(\{ (?:test|hook)Timeout/,
  ];
  const limited = files.filter(({ path, text }) => isTest(path) && limits.some((limit) => limit.test(text)));
  expect(limited.map(({ path }) => path)).toEqual([]);
});
