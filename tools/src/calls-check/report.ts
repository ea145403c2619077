import type { AcceptedDifference } from './accepted.ts';
import type { DocumentDifference, DocumentResult } from './check-document.ts';
import type { FactName } from './checks.ts';

export interface CheckedDocument extends DocumentResult {
  readonly document: string;
}

export interface LocatedDifference extends DocumentDifference {
  readonly document: string;
}

interface FactReport {
  readonly fact: FactName;
  readonly compared: number;
  /** The operations with a difference, including accepted ones. */
  readonly operations: number;
  readonly accepted: number;
  readonly views: Readonly<Record<string, number>>;
  readonly differences: readonly LocatedDifference[];
}

export interface CheckReport {
  readonly documents: number;
  readonly operations: number;
  /** The operations with a difference that is not accepted. */
  readonly differing: number;
  readonly facts: readonly FactReport[];
  /** The accepted differences that are gone. */
  readonly outdated: readonly AcceptedDifference[];
}

/** Summarises the results of all documents by fact. */
export function summarize(
  results: readonly CheckedDocument[],
  facts: readonly FactName[],
  acceptedDifferences: readonly AcceptedDifference[],
): CheckReport {
  const all = results.flatMap(({ document, differences }) =>
    differences.map((difference): LocatedDifference => ({ document, ...difference })),
  );
  const keyOf = ({ document, operation, fact }: Omit<AcceptedDifference, 'reason'>): string =>
    [document, operation, fact].join('\n');
  const acceptedKeys = new Set(acceptedDifferences.map(keyOf));
  const openDifferences = all.filter((difference) => !acceptedKeys.has(keyOf(difference)));
  const differingKeys = new Set(all.map(keyOf));
  const documents = new Set(results.map(({ document }) => document));
  const reportOf = (fact: FactName): FactReport => {
    const ofFact = all.filter((difference) => difference.fact === fact);
    const open = openDifferences.filter((difference) => difference.fact === fact);
    const operations = new Set(ofFact.map(keyOf)).size;
    return {
      fact,
      compared: results.reduce((sum, { compared }) => sum + (compared.get(fact) ?? 0), 0),
      operations,
      accepted: operations - new Set(open.map(keyOf)).size,
      views: Object.fromEntries(
        [...new Set(ofFact.map(({ view }) => view))].map((view) => [
          view,
          new Set(ofFact.filter((difference) => difference.view === view).map(keyOf)).size,
        ]),
      ),
      differences: open,
    };
  };
  return {
    documents: documents.size,
    operations: results.reduce((sum, { operations }) => sum + operations, 0),
    differing: new Set(openDifferences.map(({ document, operation }) => `${document}\n${operation}`)).size,
    facts: facts.map(reportOf),
    outdated: acceptedDifferences.filter(
      (entry) => documents.has(entry.document) && facts.includes(entry.fact) && !differingKeys.has(keyOf(entry)),
    ),
  };
}

export const isClean = ({ differing, outdated }: CheckReport): boolean => differing === 0 && outdated.length === 0;

const [examplesMax, valueMax] = [10, 300];

/** Formats the report as text, with the first differences of each fact. */
export function formatReport({ documents, operations, differing, facts, outdated }: CheckReport): string {
  const header = ['fact', 'operations', 'differ', 'accepted', 'by view'];
  const rows = facts.map(({ fact, compared, operations, accepted, views }) => [
    fact,
    format(compared),
    format(operations),
    format(accepted),
    Object.entries(views)
      .map(([view, count]) => `${view} ${format(count)}`)
      .join(', '),
  ]);
  const widths = header.map((title, column) =>
    Math.max(...[header, ...rows].map((row) => (row[column] ?? title).length)),
  );
  const lines = [header, ...rows].map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const details = facts
    .filter(({ differences }) => differences.length > 0)
    .flatMap(({ fact, differences }) => [
      '',
      `${fact}: the first of ${format(differences.length)} differences`,
      ...differences.slice(0, examplesMax).flatMap(formatDifference),
    ]);
  const share = operations === 0 ? 0 : (100 * differing) / operations;
  return [
    ...lines,
    '',
    `${format(differing)} of ${format(operations)} operations (${share.toFixed(1)} %) of ${documents} documents differ`,
    ...details,
    ...outdated.map(
      ({ document, operation, fact }) =>
        `\naccepted.ts lists a difference that is gone: ${document} ${operation}, ${fact}`,
    ),
    '',
  ].join('\n');
}

const format = (count: number): string => count.toLocaleString('en');

const formatDifference = ({ document, operation, view, expected, actual }: LocatedDifference): readonly string[] => [
  `  ${document} ${operation} (${view})`,
  `    document: ${shorten(expected)}`,
  `    view:     ${shorten(actual)}`,
];

const shorten = (text: string): string => (text.length > valueMax ? `${text.slice(0, valueMax)}…` : text);
