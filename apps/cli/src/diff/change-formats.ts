import { toChangeView, type Change, type ChangeCounts, type ChangeLevel } from '@portico/domain';
import { toSafeJson } from '../terminal.ts';
import { exampleOf, formatCounts, groupByOperation, remainderOf, sentenceOf, type DiffReport } from './change-texts.ts';
import { toJunit } from './junit-report.ts';
import { toMarkdown } from './markdown-report.ts';
import { toWorkflowCommands } from './workflow-commands.ts';

export const diffFormats = ['text', 'json', 'markdown', 'github', 'junit'] as const;
export type DiffFormat = (typeof diffFormats)[number];

/** Returns the report in this format, without a line break at the end. */
export const formatDiff = (format: DiffFormat, report: DiffReport): string => {
  switch (format) {
    case 'text':
      return toTextLines(report).join('\n');
    case 'json':
      return toSafeJson(toDiffView(report));
    case 'markdown':
      return toMarkdown(report);
    case 'github':
      return toWorkflowCommands(report);
    case 'junit':
      return toJunit(report);
  }
};

/** Whether there are changes of this level, or of a more important one. */
export const hasChangesOf = ({ breaking, warning }: ChangeCounts, level: Exclude<ChangeLevel, 'info'>): boolean =>
  breaking > 0 || (level === 'warning' && warning > 0);

const toDiffView = ({ counts, changes }: DiffReport) => ({ counts, changes: changes.map(toChangeView) });

const toTextLines = (report: DiffReport): readonly string[] => {
  const remainder = remainderOf(report);
  return [
    ...[...groupByOperation(report.changes)].flatMap(([name, changes]) => [
      name,
      ...changes.flatMap(toChangeLines),
      '',
    ]),
    ...(remainder === null ? [] : [remainder, '']),
    `${formatCounts(report.counts)}.`,
  ];
};

const toChangeLines = (change: Change): readonly string[] => {
  const example = exampleOf(change);
  return [
    `  ${change.level.padEnd(8)}  ${sentenceOf(change)}  [${change.rule}]`,
    ...(example === null ? [] : [`            example: ${example}`]),
  ];
};
