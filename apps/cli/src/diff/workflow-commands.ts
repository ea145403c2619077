import { toPlainLine, type Change, type ChangeLevel } from '@portico/domain';
import { exampleOf, formatCounts, operationNameOf, remainderOf, sentenceOf, type DiffReport } from './change-texts.ts';

/**
 * Returns the changes as GitHub's workflow commands, which annotate the new file, and a line with their numbers. GitHub
 * shows the first 10 annotations of each level.
 */
export const toWorkflowCommands = (report: DiffReport): string => {
  const remainder = remainderOf(report);
  return [
    ...report.changes.map((change) => toCommand(change, report.path)),
    ...(remainder === null ? [] : [remainder]),
    `${formatCounts(report.counts)}.`,
  ].join('\n');
};

const commands = { breaking: 'error', warning: 'warning', info: 'notice' } as const satisfies Record<
  ChangeLevel,
  string
>;

const toCommand = (change: Change, path: string | null): string => {
  const example = exampleOf(change);
  const properties = [
    ...(path === null ? [] : [`file=${escapeProperty(toPlainLine(path))}`]),
    `title=${escapeProperty(`${change.level}: ${operationNameOf(change)}`)}`,
  ];
  const message = `${sentenceOf(change)}${example === null ? '' : ` Example: ${example}`} [${change.rule}]`;
  return `::${commands[change.level]} ${properties.join(',')}::${escapeData(message)}`;
};

/** The runner also finds commands of the form `##[name]` in the middle of a line. */
const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('##[', '# #[');

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
