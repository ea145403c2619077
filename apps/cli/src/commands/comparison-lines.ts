import { affectedDays } from '@portico/domain';
import { formatCounts } from '../diff/change-texts.ts';
import { formatCount } from '../terminal.ts';
import type { AffectedSummary, ComparisonSummary, ListedChange } from './import-target.ts';

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

/** The maximum number of operations and of people in the lines for one file. */
const [operationsMax, peopleMax] = [10, 5];

/** Returns the lines about the clients that breaking changes concern. */
export const toAffectedLines = (affected: AffectedSummary | null): readonly string[] => {
  if (affected === null) return [];
  const { callers_total: callersTotal, affected_total: affectedTotal, operations } = affected;
  return [
    `    ${affectedTotal} of ${formatCount(callersTotal, 'caller')} used these operations in the last ${affectedDays} days`,
    ...operations.slice(0, operationsMax).map(({ method, path, used_by_total: total, people }) => {
      const listed = people ? people.slice(0, peopleMax) : [];
      const rest = total - listed.length;
      const names = [...listed, ...(rest > 0 && listed.length > 0 ? [`${rest} more`] : [])].join(', ');
      return `      ${method} ${path}: ${names || total}`;
    }),
  ];
};
