import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readPages, type Page } from '../src/documents/markdown.ts';
import { budgetsOf } from '../src/documents/sizes.ts';
import { root } from '../src/service-process.ts';

const pages = readPages();
const pagesByPath = new Map(pages.map((page) => [page.path, page]));

test.each(budgetsOf(pages))('$name: the size is at most $bytesMax bytes', ({ bytes, bytesMax }) => {
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(bytesMax);
});

test('the operations manual has seven pages', () => {
  expect(pages.filter(({ path }) => path.startsWith('docs/operations/'))).toHaveLength(7);
});

const proseOf = ({ text }: Page): string => text.replace(/^ *```.*?^ *```/gms, '');

/**
 * Returns a page's anchors as Git hosts create them: letters, digits, hyphens and underscores, with hyphens for spaces.
 */
const anchorsOf = (page: Page): readonly string[] =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Returns the links to files in this repository, each with its path and anchor. */
const linksOf = (page: Page) =>
  [...proseOf(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([link, file = '', anchor]) => ({
    link: `${page.path}: ${link}`,
    path: file === '' ? page.path : normalize(join(dirname(page.path), file)),
    anchor,
  }));

const links = pages.flatMap(linksOf);

test('every link points to an existing file and heading', () => {
  expect(links.length).toBeGreaterThan(200);
  const brokenLinks = links.filter(({ path, anchor }) => {
    if (!existsSync(join(root, path))) return true;
    const target = pagesByPath.get(path);
    return anchor !== undefined && target !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(brokenLinks.map(({ link }) => link)).toEqual([]);
});

test('the index links to every page, and the README to the index', () => {
  const linkedPathsOf = (from: string) =>
    linksOf(pagesByPath.get(from) ?? { path: from, text: '', bytes: 0 }).map(({ path }) => path);
  const pagesToList = pages.filter(({ path }) => path.startsWith('docs/') && !/^docs\/(adr\/|README)/.test(path));
  const missingPages = pagesToList.filter(({ path }) => !linkedPathsOf('docs/README.md').includes(path));
  expect(missingPages.map(({ path }) => path)).toEqual([]);
  expect(linkedPathsOf('README.md')).toContain('docs/README.md');
});

test('every picture in the documents is used', () => {
  const linkedPaths = links.map(({ path }) => path);
  const pictures = globSync('docs/**/*.png', { cwd: root });
  expect(pictures.length).toBeGreaterThan(0);
  expect(pictures.filter((path) => !linkedPaths.includes(path))).toEqual([]);
});

test('the APIs in examples are samples, or are imported in the same example', () => {
  const titles = globSync('samples/*.{json,yaml}', { cwd: root }).map(
    (path) =>
      (parse(readFileSync(join(root, path), 'utf8')) as { readonly info: { readonly title: string } }).info.title,
  );
  const examples = pages.map(({ text }) =>
    [...text.matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, lines]) => lines).join(),
  );
  const exampleNames = examples.flatMap((lines) => {
    const importedNames = [...lines.matchAll(/import \S+ --name '([^']+)'/g)].map(([, name]) => name);
    const mentions = [
      ...lines.matchAll(/(?:--collections?|collections list)((?: '[^']+')+)|"collections": \[([^\]]*)\]/g),
    ];
    return mentions
      .flatMap(([, quoted = '', json = '']) => [...`${quoted}${json}`.matchAll(/['"]([^'"]+)['"]/g)])
      .map(([, name]) => name)
      .filter((name) => !importedNames.includes(name));
  });
  expect(exampleNames).toContain('Nimbara Weather');
  expect(exampleNames.filter((name) => !titles.includes(name ?? ''))).toEqual([]);
});
