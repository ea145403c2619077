import type { Change, OperationKey } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { diffFormats, formatDiff, hasChangesOf } from './change-formats.ts';
import type { DiffReport } from './change-texts.ts';

const hostile =
  '\u001b[31mred\u0000 ::set-env name=x::1%0A\r\n::error::x ##[error] ]]> <b>&"\' `code` [l](u) @team #1 https://x.example \u202e\ud800';
const changeOf = (level: Change['level'], fields: Partial<Change> = {}): Change => ({
  rule: 'api-removed-without-deprecation',
  level,
  operation: { key: 'op-1' as OperationKey, method: 'GET', path: '/tides/{id}' },
  place: '',
  text: 'The operation was removed.',
  example: null,
  fingerprint: '0123456789ab',
  ...fields,
});
const reportOf = (changes: readonly Change[], path: string | null = 'apis/tides.yaml'): DiffReport => {
  const count = (level: Change['level']) => changes.filter((change) => change.level === level).length;
  return { path, changes, counts: { breaking: count('breaking'), warning: count('warning'), info: count('info') } };
};
const hostileReport = reportOf(
  [
    changeOf('breaking', {
      operation: { key: 'op-2' as OperationKey, method: 'GET', path: `/${hostile}` },
      place: hostile,
      text: hostile,
      example: JSON.stringify(hostile),
    }),
  ],
  `apis/${hostile}.yaml`,
);

describe('a report of changes', () => {
  test('as text is grouped by operation, with breaking changes first, examples and numbers', () => {
    const other = { key: 'op-2' as OperationKey, method: 'POST', path: '/tides' };
    const report = reportOf([
      changeOf('breaking', { place: 'query limit', text: 'The maximum was decreased.', example: '100' }),
      changeOf('warning', { operation: other, text: 'W.' }),
      changeOf('info', { text: 'I.' }),
      changeOf('info', { operation: null, text: 'D.' }),
    ]);
    expect(formatDiff('text', report).split('\n')).toEqual([
      'GET /tides/{id}',
      '  breaking  query limit: The maximum was decreased.  [api-removed-without-deprecation]',
      '            example: 100',
      '  info      I.  [api-removed-without-deprecation]',
      '',
      'POST /tides',
      '  warning   W.  [api-removed-without-deprecation]',
      '',
      'The document',
      '  info      D.  [api-removed-without-deprecation]',
      '',
      '1 breaking change, 1 warning, 2 other changes.',
    ]);
  });

  test('as JSON has the value of each example', () => {
    const report = reportOf([changeOf('breaking', { example: '{"a":[1]}' }), changeOf('info', { operation: null })]);
    expect(JSON.parse(formatDiff('json', report))).toEqual({
      counts: { breaking: 1, warning: 0, info: 1 },
      changes: [
        {
          rule: 'api-removed-without-deprecation',
          level: 'breaking',
          operation_key: 'op-1',
          method: 'GET',
          path: '/tides/{id}',
          place: '',
          text: 'The operation was removed.',
          example: { a: [1] },
          fingerprint: '0123456789ab',
        },
        expect.objectContaining({ level: 'info', operation_key: null, method: null, path: null, example: null }),
      ],
    });
  });

  test('as Markdown has code spans for names and escaped sentences', () => {
    const text = '<b> *x* @team #1 https://x.example www.x.example';
    const [, , heading, , item] = formatDiff('markdown', reportOf([changeOf('breaking', { text })])).split('\n');
    expect(heading).toBe('**`GET /tides/{id}`**');
    expect(item).toBe(
      '- **Breaking**: \\<b\\> \\*x\\* \\@\u200bteam \\#\u200b1 https\\:\u200b\\/\\/x\\.example www\u200b\\.x\\.example (`api-removed-without-deprecation`)',
    );
  });

  test('as Markdown has code spans that backticks cannot end', () => {
    const report = reportOf([changeOf('breaking', { example: '"`` ` <script>"' })]);
    expect(formatDiff('markdown', report)).toContain('Example: ``` "`` ` <script>" ```');
  });

  test('as workflow commands annotates the file, with one command per change', () => {
    const lines = formatDiff(
      'github',
      reportOf([changeOf('breaking', { text: '100% ::x' }), changeOf('warning'), changeOf('info')], 'a,b:c.yaml'),
    ).split('\n');
    expect(lines[0]).toBe(
      '::error file=a%2Cb%3Ac.yaml,title=breaking%3A GET /tides/{id}::100%25 ::x [api-removed-without-deprecation]',
    );
    expect(lines.slice(1).map((line) => line.replace(/ .*/, ''))).toEqual(['::warning', '::notice', '1']);
  });

  test('as workflow commands names no file for standard input', () => {
    expect(formatDiff('github', reportOf([changeOf('breaking')], null))).toMatch(/^::error title=/);
  });

  test('from a hostile document contains no workflow command except those of its changes', () => {
    const lines = formatDiff('github', hostileReport).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^::error file=[^:,]*,title=[^:,]*::/);
    expect(lines.join('')).not.toContain('##[');
  });

  test('as JUnit has a failure per breaking change, and a passed test without any', () => {
    const failed = formatDiff('junit', reportOf([changeOf('breaking'), changeOf('warning')]));
    expect(failed).toContain('<testsuites name="portico diff" tests="2" failures="1" errors="0">');
    expect(failed.match(/<failure /g)).toHaveLength(1);
    expect(formatDiff('junit', reportOf([]))).toContain('name="no breaking changes"');
  });

  test('as JUnit from a hostile document is well-formed', () => {
    const xml = formatDiff('junit', hostileReport);
    const withoutTags = xml.replace(/<\/?[a-z-]+(?: [a-z]+="[^"<>]*")*\/?>|<\?xml [^?]*\?>/g, '');
    expect(withoutTags).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;|apos;)/);
  });

  test.each(diffFormats)('from a hostile document has no control characters as %s', (format) => {
    // eslint-disable-next-line no-control-regex -- The test is about control characters.
    expect(formatDiff(format, hostileReport)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\ud800]/);
  });

  test.each(['text', 'markdown', 'github'] as const)('says as %s how many changes it does not list', (format) => {
    const report = { ...reportOf([changeOf('breaking')]), counts: { breaking: 3, warning: 0, info: 0 } };
    expect(formatDiff(format, report)).toContain('… and 2 more');
  });

  test('has changes of a level if there are such or more important ones', () => {
    expect(hasChangesOf({ breaking: 0, warning: 1, info: 1 }, 'breaking')).toBe(false);
    expect(hasChangesOf({ breaking: 1, warning: 0, info: 0 }, 'breaking')).toBe(true);
    expect(hasChangesOf({ breaking: 1, warning: 0, info: 0 }, 'warning')).toBe(true);
    expect(hasChangesOf({ breaking: 0, warning: 1, info: 0 }, 'warning')).toBe(true);
    expect(hasChangesOf({ breaking: 0, warning: 0, info: 9 }, 'warning')).toBe(false);
  });
});
