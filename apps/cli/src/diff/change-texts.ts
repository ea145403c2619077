import { toPlainLine, type Change, type ChangeCounts, type Comparison } from '@portico/domain';
import { formatCount } from '../terminal.ts';

export interface DiffReport extends Comparison {
  /** The path of the new document; null for standard input. */
  readonly path: string | null;
}

/** Returns the numbers of changes as text, such as `1 breaking change, 2 warnings, 1 other change`. */
export const formatCounts = ({ breaking, warning, info }: ChangeCounts): string =>
  breaking + warning + info === 0
    ? 'no changes'
    : [
        formatCount(breaking, 'breaking change'),
        formatCount(warning, 'warning'),
        formatCount(info, 'other change'),
      ].join(', ');

/** Returns the changes by operation, in the order of the changes, so that operations with breaking changes come first. */
export const groupByOperation = (changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> =>
  Map.groupBy(changes, operationNameOf);

/** Returns `METHOD path` of a change. */
export const operationNameOf = ({ operation }: Change): string =>
  operation ? `${operation.method} ${toPlainLine(operation.path)}` : 'The document';

/** Returns the text of a change, with its place. */
export const sentenceOf = ({ place, text }: Change): string => toPlainLine(place === '' ? text : `${place}: ${text}`);

/** The maximum length of an example outside JSON, in UTF-16 code units. */
const exampleLengthMax = 200;

/** Returns the example of a change on one line, shortened; null if it has none. */
export const exampleOf = ({ example }: Change): string | null => {
  if (example === null) return null;
  const line = toPlainLine(example);
  return line.length > exampleLengthMax ? `${line.slice(0, exampleLengthMax)}…` : line;
};

/** Returns how many changes are not listed as text, or null if all are. */
export const remainderOf = ({ counts, changes }: Comparison): string | null => {
  const remainder = counts.breaking + counts.warning + counts.info - changes.length;
  return remainder > 0 ? `… and ${remainder} more` : null;
};
