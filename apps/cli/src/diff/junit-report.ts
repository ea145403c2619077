import { toPlainLine, type Change } from '@portico/domain';
import { exampleOf, formatCounts, operationNameOf, sentenceOf, type DiffReport } from './change-texts.ts';

/**
 * Returns the changes as a JUnit report: a test case per change, because servers list test cases by name and show one
 * failure for each. Breaking changes are failures; other changes are passed tests with output. Without breaking changes
 * there is one more passed test, because some servers reject a report without tests.
 */
export const toJunit = (report: DiffReport): string => {
  const { breaking } = report.counts;
  const failures = report.changes.filter(({ level }) => level === 'breaking').length;
  const hasPassed = breaking === 0;
  const tests = report.changes.length + (hasPassed ? 1 : 0);
  const counts = `tests="${tests}" failures="${failures}" errors="0"`;
  const name = escapeXml(toPlainLine(report.path ?? 'standard input'));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="portico diff" ${counts}>`,
    `  <testsuite name="${name}" ${counts} skipped="0">`,
    ...(hasPassed ? ['    <testcase classname="portico diff" name="no breaking changes"/>'] : []),
    ...report.changes.map(toTestCase),
    `    <system-out>${escapeXml(formatCounts(report.counts))}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
};

const toTestCase = (change: Change): string => {
  const example = exampleOf(change);
  const [sentence, rule] = [escapeXml(sentenceOf(change)), escapeXml(change.rule)];
  const details = `${sentence}${example === null ? '' : ` Example: ${escapeXml(example)}`} [${rule}]`;
  const content =
    change.level === 'breaking'
      ? `<failure type="${rule}" message="${sentence}">${details}</failure>`
      : `<system-out>${change.level}: ${details}</system-out>`;
  return `    <testcase classname="${escapeXml(operationNameOf(change))}" name="${sentence}">${content}</testcase>`;
};

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes text for XML 1.0, which has no way to represent some characters: they become U+FFFD. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
