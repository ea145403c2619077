import type { DocumentWarning } from '@portico/domain';
import { counted } from '../terminal.ts';
import type { Changes, Published } from './import-target.ts';

interface Line {
  readonly file: string;
}
export interface Taken extends Line {
  /** Null for what a dry run would create. */
  readonly id: string | null;
  readonly name: string;
  readonly outcome: Published['outcome'];
  /** Whether the description is made of the document's words, which has none of its own. Named as in the output. */
  readonly description_derived: boolean;
  /** The ids of other collections of this name. */
  readonly namesakes: readonly string[];
  /** How many departures from the official schema the document has, and the first of them. */
  readonly warnings: number;
  readonly departures: readonly DocumentWarning[];
  /** Of a dry run. */
  readonly changes?: Changes;
}
/** A file that is not taken. */
export interface Left extends Line {
  readonly outcome: 'skipped' | 'refused';
  readonly reason: string;
}

export interface ImportSummary {
  readonly taken: readonly Taken[];
  /** Found in a folder or by a glob, but not OpenAPI documents. */
  readonly skipped: readonly Left[];
  readonly refused: readonly Left[];
}

export interface ReportOptions {
  /** Says what would be done; nothing was. */
  readonly dryRun?: true;
  /** Shows how each document departs from the official schema. */
  readonly explain?: true;
  /** Lists unchanged collections too. */
  readonly verbose?: true;
}

/** The report as JSON; of an import that was interrupted before it came to all of the files, also how many are left. */
export const reportView = (summary: ImportSummary, files: number, { dryRun }: ReportOptions) => {
  const left = leftOf(summary, files);
  return {
    ...(dryRun ? { dry_run: true } : {}),
    ...(left > 0 ? { interrupted: true, files_left: left } : {}),
    ...countsOf(summary),
    taken: summary.taken,
    skipped_files: summary.skipped.map(withoutOutcome),
    refused_files: summary.refused.map(withoutOutcome),
  };
};

const withoutOutcome = ({ file, reason }: Left) => ({ file, reason });

const leftOf = ({ taken, skipped, refused }: ImportSummary, files: number): number =>
  files - taken.length - skipped.length - refused.length;

const countsOf = ({ taken, skipped, refused }: ImportSummary) => {
  const count = (outcome: Taken['outcome']) => taken.filter((line) => line.outcome === outcome).length;
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    skipped: skipped.length,
    refused: refused.length,
  };
};

/** What became of one file; nothing about one that is unchanged, unless it is wanted. */
export const fileLines = (line: Taken | Left, { explain, verbose }: ReportOptions): readonly string[] => {
  if (!('name' in line)) return [`${line.outcome}    ${line.file}: ${line.reason}`];
  const isShown = verbose || line.outcome !== 'unchanged' || (explain && line.warnings > 0);
  return isShown
    ? [lineOf(line), ...namesakeLines(line), ...changeLines(line), ...(explain ? departuresOf(line) : [])]
    : [];
};

/** How many there are of each outcome. */
export const countLines = (
  summary: ImportSummary,
  files: number,
  { dryRun, explain }: ReportOptions,
): readonly string[] => {
  const { created, updated, unchanged, skipped, refused } = countsOf(summary);
  const departing = summary.taken.filter(({ warnings }) => warnings > 0).length;
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped, ${refused} refused.`;
  const left = leftOf(summary, files);
  return [
    ...(left > 0 ? [`Interrupted, ${left} of ${counted(files, 'file')} left. Until then:`] : []),
    dryRun ? `Dry run, nothing was written. It would be ${counts}` : counts,
    ...(departing > 0 && !explain
      ? [`${counted(departing, 'document')} with departures from the official schema: --explain shows them.`]
      : []),
  ];
};

const lineOf = ({ outcome, id, name, file, description_derived, warnings }: Taken): string =>
  [
    `${outcome.padEnd(9)}  ${id ?? '(new)'}  ${name}  (${file})`,
    ...(description_derived ? ['description derived'] : []),
    ...(warnings > 0 ? [counted(warnings, 'departure')] : []),
  ].join('  ');

/** Usually the same document from another place: commands that name a collection then need its id. */
const namesakeLines = ({ namesakes }: Taken): readonly string[] =>
  namesakes.length === 0
    ? []
    : [`    this name is taken already, by ${namesakes.join(', ')}: name each by its id ("portico collections list")`];

/** A new collection is new as a whole: only its operations are counted. */
const changeLines = ({ changes, outcome }: Taken): readonly string[] => {
  if (!changes || outcome === 'unchanged') return [];
  const { name, description, document, operations_added: added, operations_removed: removed } = changes;
  const isNew = outcome === 'created';
  return [
    ...(name ? [`    name: "${name.from}" becomes "${name.to}"`] : []),
    ...(description
      ? [`    description: "${shortened(description.from)}" becomes "${shortened(description.to)}"`]
      : []),
    ...(document && !isNew ? ['    document: its text changes'] : []),
    ...(added.total > 0 ? [`    ${counted(added.total, 'operation')} ${isNew ? 'in it' : 'added'}`] : []),
    ...(isNew ? [] : named('+', added)),
    ...(removed.total > 0 ? [`    ${counted(removed.total, 'operation')} removed`] : []),
    ...named('-', removed),
  ];
};

const named = (sign: string, { total, first }: Changes['operations_added']): readonly string[] => [
  ...first.map((operation) => `      ${sign} ${operation}`),
  ...(total > first.length ? [`      ${sign} … and ${total - first.length} more`] : []),
];

/** In UTF-16 units. */
const shownMax = 80;
const shortened = (text: string): string => (text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);

const departuresOf = ({ warnings, departures }: Taken): readonly string[] => [
  ...departures.map(({ pointer, message }) => `    ${pointer || '(the document)'}  ${message}`),
  ...(warnings > departures.length ? [`    … and ${warnings - departures.length} more`] : []),
];
