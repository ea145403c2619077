import type { DocumentWarning } from '@portico/domain';
import { counted } from '../terminal.ts';
import type { Changes, Published } from './import-target.ts';

interface Line {
  readonly file: string;
}
export interface ImportedFile extends Line {
  /** Null for a collection that a dry run would create. */
  readonly id: string | null;
  readonly name: string;
  readonly outcome: Published['outcome'];
  /**
   * Whether the description was derived from the document's text, because the document has none. Named as in the
   * output.
   */
  readonly description_derived: boolean;
  /** The ids of other collections with this name. */
  readonly namesakes: readonly string[];
  /** The number of departures from the official schema. `departures` contains the first of them. */
  readonly warnings: number;
  readonly departures: readonly DocumentWarning[];
  /** Set only by a dry run. */
  readonly changes?: Changes;
}
/** A file that was not imported. */
export interface OmittedFile extends Line {
  readonly outcome: 'skipped' | 'refused';
  readonly reason: string;
}

export interface ImportSummary {
  readonly imported: readonly ImportedFile[];
  /** Files found in a folder or by a glob that are not OpenAPI documents. */
  readonly skipped: readonly OmittedFile[];
  readonly refused: readonly OmittedFile[];
}

export interface ReportOptions {
  /** Reports the planned changes without making them. */
  readonly dryRun?: true;
  /** Shows how each document departs from the official schema. */
  readonly explain?: true;
  /** Also lists unchanged collections. */
  readonly verbose?: true;
}

/** Returns the report as JSON. After an interrupted import, it includes the number of remaining files. */
export const reportView = (summary: ImportSummary, files: number, { dryRun }: ReportOptions) => {
  const remaining = remainingOf(summary, files);
  return {
    ...(dryRun ? { dry_run: true } : {}),
    ...(remaining > 0 ? { interrupted: true, files_left: remaining } : {}),
    ...countsOf(summary),
    taken: summary.imported,
    skipped_files: summary.skipped.map(withoutOutcome),
    refused_files: summary.refused.map(withoutOutcome),
  };
};

const withoutOutcome = ({ file, reason }: OmittedFile) => ({ file, reason });

const remainingOf = ({ imported, skipped, refused }: ImportSummary, files: number): number =>
  files - imported.length - skipped.length - refused.length;

const countsOf = ({ imported, skipped, refused }: ImportSummary) => {
  const count = (outcome: ImportedFile['outcome']) => imported.filter((line) => line.outcome === outcome).length;
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    skipped: skipped.length,
    refused: refused.length,
  };
};

/**
 * Returns the lines for one file. An unchanged file has none, unless `verbose` is set or it has departures to explain.
 */
export const fileLines = (line: ImportedFile | OmittedFile, { explain, verbose }: ReportOptions): readonly string[] => {
  if (!('name' in line)) return [`${line.outcome}    ${line.file}: ${line.reason}`];
  const isShown = verbose || line.outcome !== 'unchanged' || (explain && line.warnings > 0);
  return isShown
    ? [lineOf(line), ...namesakeLines(line), ...changeLines(line), ...(explain ? departureLines(line) : [])]
    : [];
};

/** Returns lines with the number of files per outcome. */
export const countLines = (
  summary: ImportSummary,
  files: number,
  { dryRun, explain }: ReportOptions,
): readonly string[] => {
  const { created, updated, unchanged, skipped, refused } = countsOf(summary);
  const departingDocuments = summary.imported.filter(({ warnings }) => warnings > 0).length;
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped, ${refused} refused.`;
  const remaining = remainingOf(summary, files);
  return [
    ...(remaining > 0 ? [`Interrupted, ${remaining} of ${counted(files, 'file')} left. So far:`] : []),
    dryRun ? `Dry run, nothing was written. It would be ${counts}` : counts,
    ...(departingDocuments > 0 && !explain
      ? [`${counted(departingDocuments, 'document')} with departures from the official schema: --explain shows them.`]
      : []),
  ];
};

const lineOf = ({ outcome, id, name, file, description_derived, warnings }: ImportedFile): string =>
  [
    `${outcome.padEnd(9)}  ${id ?? '(new)'}  ${name}  (${file})`,
    ...(description_derived ? ['description derived'] : []),
    ...(warnings > 0 ? [counted(warnings, 'departure')] : []),
  ].join('  ');

/**
 * Returns the line about other collections with the same name. These usually contain the same document from a different
 * source; commands then need a collection's id instead of its name.
 */
const namesakeLines = ({ namesakes }: ImportedFile): readonly string[] =>
  namesakes.length === 0
    ? []
    : [
        `    this name is already taken by ${namesakes.join(', ')}: refer to each by its id ("portico collections list")`,
      ];

/** Returns the lines about changes. For a new collection, only the number of operations is reported. */
const changeLines = ({ changes, outcome }: ImportedFile): readonly string[] => {
  if (!changes || outcome === 'unchanged') return [];
  const { name, description, document, operations_added: added, operations_removed: removed } = changes;
  const isNew = outcome === 'created';
  return [
    ...(name ? [`    name: "${name.from}" becomes "${name.to}"`] : []),
    ...(description ? [`    description: "${truncate(description.from)}" becomes "${truncate(description.to)}"`] : []),
    ...(document && !isNew ? ['    document: its text changes'] : []),
    ...(added.total > 0 ? [`    ${counted(added.total, 'operation')} ${isNew ? 'in it' : 'added'}`] : []),
    ...(isNew ? [] : operationLines('+', added)),
    ...(removed.total > 0 ? [`    ${counted(removed.total, 'operation')} removed`] : []),
    ...operationLines('-', removed),
  ];
};

const operationLines = (sign: string, { total, first }: Changes['operations_added']): readonly string[] => [
  ...first.map((operation) => `      ${sign} ${operation}`),
  ...(total > first.length ? [`      ${sign} … and ${total - first.length} more`] : []),
];

/** The maximum length of a value in the report, in UTF-16 code units. */
const lengthMax = 80;
const truncate = (text: string): string => (text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text);

const departureLines = ({ warnings, departures }: ImportedFile): readonly string[] => [
  ...departures.map(({ pointer, message }) => `    ${pointer || '(the document)'}  ${message}`),
  ...(warnings > departures.length ? [`    … and ${warnings - departures.length} more`] : []),
];
