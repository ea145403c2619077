import type { Page } from './markdown.ts';

/** The size limit for a group of documents, in bytes. */
export interface Budget {
  readonly name: string;
  readonly bytesMax: number;
  readonly bytes: number;
}

const isDecision = ({ path }: Page): boolean => path.startsWith('docs/adr/');

const largestBytesOf = (pages: readonly Page[]): number => Math.max(0, ...pages.map(({ bytes }) => bytes));
const totalBytesOf = (pages: readonly Page[]): number => pages.reduce((total, { bytes }) => total + bytes, 0);

/** Returns the size and the limit of each document or group of documents. */
export const budgetsOf = (pages: readonly Page[]): readonly Budget[] => {
  const pagesAt = (path: string): readonly Page[] => pages.filter((page) => page.path === path);
  const pagesIn = (folder: string): readonly Page[] => pages.filter(({ path }) => path.startsWith(`${folder}/`));
  const budgetOf = (path: string, bytesMax: number): Budget => ({
    name: path,
    bytesMax,
    bytes: totalBytesOf(pagesAt(path)),
  });
  return [
    budgetOf('README.md', 10_000),
    budgetOf('CHANGELOG.md', 8_000),
    budgetOf('docs/performance.md', 10_000),
    budgetOf('docs/search.md', 6_000),
    {
      name: 'the largest page in docs/operations',
      bytesMax: 10_000,
      bytes: largestBytesOf(pagesIn('docs/operations')),
    },
    {
      name: 'all documents except decision records',
      bytesMax: 215_000,
      bytes: totalBytesOf(pages.filter((page) => !isDecision(page))),
    },
  ];
};
