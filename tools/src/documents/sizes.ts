import type { Page } from './markdown.ts';

/** The size limit of a group of documents, in bytes. */
export interface Budget {
  readonly name: string;
  readonly bytesMax: number;
  readonly bytes: number;
}

const isDecision = ({ path }: Page): boolean => path.startsWith('docs/adr/');

const largest = (pages: readonly Page[]): number => Math.max(0, ...pages.map(({ bytes }) => bytes));
const sum = (pages: readonly Page[]): number => pages.reduce((total, { bytes }) => total + bytes, 0);

/** Returns the size and the limit of each document or group of documents. */
export const budgetsOf = (pages: readonly Page[]): readonly Budget[] => {
  const at = (path: string): readonly Page[] => pages.filter((page) => page.path === path);
  const within = (folder: string): readonly Page[] => pages.filter(({ path }) => path.startsWith(`${folder}/`));
  const one = (path: string, bytesMax: number): Budget => ({ name: path, bytesMax, bytes: sum(at(path)) });
  return [
    one('README.md', 10_000),
    one('CHANGELOG.md', 8_000),
    one('docs/performance.md', 10_000),
    one('docs/search.md', 6_000),
    { name: 'the largest of docs/operations', bytesMax: 10_000, bytes: largest(within('docs/operations')) },
    { name: 'all but decision records', bytesMax: 200_000, bytes: sum(pages.filter((page) => !isDecision(page))) },
  ];
};
