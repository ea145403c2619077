import type { DocumentWarning } from '@portico/domain';
import { formatCount } from '../terminal.ts';
import { toAffectedLines, toComparisonLines } from './comparison-lines.ts';
import type { AffectedSummary, Changes, ComparisonSummary, ImportResult } from './import-target.ts';

interface FileResult {
  readonly file: string;
}
export interface ImportedFile extends FileResult {
  /** Null for a collection that a dry run would create. */
  readonly id: string | null;
  readonly name: string;
  readonly outcome: ImportResult['outcome'];
  /**
   * Whether the description was derived from the document's text, because the document has none. Named as in the
   * output.
   */
  readonly description_derived: boolean;
  /** The ids of other collections with this name. */
  readonly namesakes: readonly string[];
  /** The number of violations of the official schema. `departures` contains the first of them. */
  readonly warnings: number;
  readonly departures: readonly DocumentWarning[];
  /** Parts that are lost, not understood or in other files, and an unusable base address. */
  readonly notices: readonly DocumentWarning[];
  /** The version that the document was converted from; null if it is stored as it was sent. Named as in the output. */
  readonly converted_from: string | null;
  /** Set only by a dry run. */
  readonly changes?: Changes;
  /** Set only by a dry run; null unless an existing document changes. */
  readonly comparison?: ComparisonSummary | null;
  readonly affected?: AffectedSummary | null;
}
/** A file that was not imported. */
export interface OmittedFile extends FileResult {
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
  /** Shows how each document violates the official schema. */
  readonly explain?: true;
  /** Also lists unchanged collections. */
  readonly verbose?: true;
}

/** Returns the report as JSON. After an interrupted import, it includes the number of remaining files. */
export const toReportView = (summary: ImportSummary, files: number, { dryRun }: ReportOptions) => {
  const remainingFiles = remainingOf(summary, files);
  return {
    ...(dryRun ? { dry_run: true } : {}),
    ...(remainingFiles > 0 ? { interrupted: true, files_left: remainingFiles } : {}),
    ...countsOf(summary),
    taken: summary.imported,
    skipped_files: summary.skipped.map(omitOutcome),
    refused_files: summary.refused.map(omitOutcome),
  };
};

const omitOutcome = ({ file, reason }: OmittedFile) => ({ file, reason });

const remainingOf = ({ imported, skipped, refused }: ImportSummary, files: number): number =>
  files - imported.length - skipped.length - refused.length;

const countsOf = ({ imported, skipped, refused }: ImportSummary) => {
  const count = (outcome: ImportedFile['outcome']) =>
    imported.filter((importedFile) => importedFile.outcome === outcome).length;
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    skipped: skipped.length,
    refused: refused.length,
  };
};

/**
 * Returns the lines for one file. An unchanged file has none, unless `verbose` is set or it has violations to explain.
 */
export const toFileLines = (
  result: ImportedFile | OmittedFile,
  { explain, verbose }: ReportOptions,
): readonly string[] => {
  if (!('name' in result)) return [`${result.outcome}    ${result.file}: ${result.reason}`];
  const isShown = verbose || result.outcome !== 'unchanged' || (explain && result.warnings > 0);
  return isShown
    ? [
        lineOf(result),
        ...toNamesakeLines(result),
        ...result.notices.map(({ pointer, message }) => `    warning: ${pointer || '(the document)'}  ${message}`),
        ...toChangeLines(result),
        ...toComparisonLines(result.comparison ?? null),
        ...toAffectedLines(result.affected ?? null),
        ...(explain ? toDepartureLines(result) : []),
      ]
    : [];
};

/** Returns lines with the number of files per outcome. */
export const toCountLines = (
  summary: ImportSummary,
  files: number,
  { dryRun, explain }: ReportOptions,
): readonly string[] => {
  const { created, updated, unchanged, skipped, refused } = countsOf(summary);
  const nonconformingCount = summary.imported.filter(({ warnings }) => warnings > 0).length;
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped, ${refused} refused.`;
  const remainingFiles = remainingOf(summary, files);
  return [
    ...(remainingFiles > 0 ? [`Interrupted, ${remainingFiles} of ${formatCount(files, 'file')} left. So far:`] : []),
    dryRun ? `Dry run: nothing was written. The result would be ${counts}` : counts,
    ...(nonconformingCount > 0 && !explain
      ? [`${formatCount(nonconformingCount, 'document')} with violations of the official schema: --explain shows them.`]
      : []),
  ];
};

const lineOf = ({ outcome, id, name, file, description_derived, converted_from, warnings }: ImportedFile): string =>
  [
    `${outcome.padEnd(9)}  ${id ?? '(new)'}  ${name}  (${file})`,
    ...(converted_from === null ? [] : [`converted from Swagger ${converted_from}`]),
    ...(description_derived ? ['description derived'] : []),
    ...(warnings > 0 ? [formatCount(warnings, 'violation')] : []),
  ].join('  ');

/**
 * Returns the line about other collections with the same name. These usually contain the same document from a different
 * source; commands then need a collection's id instead of its name.
 */
const toNamesakeLines = ({ namesakes }: ImportedFile): readonly string[] =>
  namesakes.length === 0
    ? []
    : [
        `    this name is already taken by ${namesakes.join(', ')}: refer to them by their ids ("portico collections list")`,
      ];

/** Returns the lines about changes. For a new collection, only the number of operations is reported. */
const toChangeLines = ({ changes, outcome }: ImportedFile): readonly string[] => {
  if (!changes || outcome === 'unchanged') return [];
  const {
    name,
    description,
    document,
    operations_added: addedOperations,
    operations_removed: removedOperations,
  } = changes;
  const isNew = outcome === 'created';
  return [
    ...(name ? [`    name: "${name.from}" becomes "${name.to}"`] : []),
    ...(description ? [`    description: "${truncate(description.from)}" becomes "${truncate(description.to)}"`] : []),
    ...(document && !isNew ? ['    document: its text changes'] : []),
    ...(addedOperations.total > 0
      ? [`    ${formatCount(addedOperations.total, 'operation')} ${isNew ? 'in it' : 'added'}`]
      : []),
    ...(isNew ? [] : toOperationLines('+', addedOperations)),
    ...(removedOperations.total > 0 ? [`    ${formatCount(removedOperations.total, 'operation')} removed`] : []),
    ...toOperationLines('-', removedOperations),
  ];
};

const toOperationLines = (
  sign: string,
  { total, first: operations }: Changes['operations_added'],
): readonly string[] => [
  ...operations.map((operation) => `      ${sign} ${operation}`),
  ...(total > operations.length ? [`      ${sign} … and ${total - operations.length} more`] : []),
];

/** The maximum length of a value in the report, in UTF-16 code units. */
const lengthMax = 80;
const truncate = (text: string): string => (text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text);

const toDepartureLines = ({ warnings, departures }: ImportedFile): readonly string[] => [
  ...departures.map(({ pointer, message }) => `    ${pointer || '(the document)'}  ${message}`),
  ...(warnings > departures.length ? [`    … and ${warnings - departures.length} more`] : []),
];
