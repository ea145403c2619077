import { toPlainLine, type Change, type ChangeLevel } from '@portico/domain';
import {
  exampleOf,
  formatCounts,
  groupByOperation,
  operationNameOf,
  remainderOf,
  sentenceOf,
  type DiffReport,
} from './change-texts.ts';

/** Returns the changes as Markdown for a comment on a pull request. */
export const toMarkdown = (report: DiffReport): string => {
  const title = report.path === null ? 'API changes' : `Changes in ${toCode(toPlainLine(report.path))}`;
  const remainder = remainderOf(report);
  return [
    `### ${title}: ${formatCounts(report.counts)}`,
    ...[...groupByOperation(report.changes)].flatMap(([, changes]) => [
      '',
      headingOf(changes),
      '',
      ...changes.map(toItem),
    ]),
    ...(remainder === null ? [] : ['', remainder]),
  ].join('\n');
};

const headingOf = ([first]: readonly Change[]): string =>
  first?.operation ? `**${toCode(operationNameOf(first))}**` : '**The document**';

const labels = { breaking: '**Breaking**', warning: 'Warning', info: 'Info' } as const satisfies Record<
  ChangeLevel,
  string
>;

const toItem = (change: Change): string => {
  const example = exampleOf(change);
  return `- ${labels[change.level]}: ${escapeMarkdown(sentenceOf(change))}${example === null ? '' : ` Example: ${toCode(example)}`} (${toCode(change.rule)})`;
};

/** Returns a code span; its delimiter is longer than any run of backticks in the text. */
const toCode = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const delimiter = '`'.repeat(longestRun + 1);
  const padding = longestRun > 0 || /^ | $/.test(line) ? ' ' : '';
  return `${delimiter}${padding}${line}${padding}${delimiter}`;
};

/**
 * Escapes Markdown and HTML. Hosts also link mentions, references and bare URLs in plain text, which a backslash does
 * not prevent: a zero-width space does.
 */
const escapeMarkdown = (text: string): string =>
  text
    .replace(/[!-/:-@[-`{-~]/g, String.raw`\$&`)
    .replace(/\\[@#!$%~&^](?=\w)/g, '$&\u200b')
    .replace(/\\:(?=\\\/\\\/)/g, '$&\u200b')
    .replace(/www(?=\\\.)/gi, '$&\u200b');
