import { formatCounts } from '../diff/change-texts.ts';
import type { ComparisonSummary, ListedChange } from './import-target.ts';

/** The maximum number of changes in the lines for one file. */
const changesMax = 20;

/** Returns the lines about changes that callers may notice; none if only other parts of the document change. */
export const toComparisonLines = (comparison: ComparisonSummary | null): readonly string[] => {
  if (comparison === null || comparison.total === 0) return [];
  const { counts, first } = comparison;
  if (counts === null) return ['    the changes are unknown: the documents are too large to be compared'];
  const listedChanges = first.filter(({ level }) => level !== 'info').slice(0, changesMax);
  const remainder = counts.breaking + counts.warning - listedChanges.length;
  return [
    `    ${formatCounts(counts)}`,
    ...listedChanges.map(toLine),
    ...(remainder > 0 ? [`      … and ${remainder} more`] : []),
  ];
};

const toLine = ({ level, method, path, place, text }: ListedChange): string => {
  const operation = method === null ? 'the document' : `${method} ${path}`;
  return `      ${level}: ${operation}${place === '' ? '' : `, ${place}`}: ${text}`;
};
