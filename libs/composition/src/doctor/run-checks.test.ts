import { expect, test } from 'vitest';
import type { Config } from '../config.ts';
import { ok, skipped, warning, wrong, type Check } from './check.ts';
import { checks } from './checks.ts';
import { createExamination } from './examination.ts';
import { runChecks } from './run-checks.ts';

const examination = createExamination({ NODE_ENV: 'test' });
const limitMs = 50;
const row = (id: string, execute: Check['execute'], needs: readonly string[] = []): Check => ({
  id,
  needs,
  execute,
  advice: `Fix ${id}.`,
});
const run = (...rows: readonly Check[]) => runChecks(rows, examination, limitMs);
const never = () => new Promise<never>(() => undefined);

test('a check that needs a wrong check is skipped and names it; a warning skips no check', async () => {
  const ranIds: string[] = [];
  const recordingRow = (id: string, needs: readonly string[]) =>
    row(
      id,
      () => {
        ranIds.push(id);
        return ok('Fine.');
      },
      needs,
    );
  const [, , third, fourth, fifth] = await run(
    row('first', () => [ok('One half.'), wrong('The other half.', 'Fix it.')]),
    row('second', () => warning('Hm.', 'Look at it.')),
    recordingRow('third', ['second', 'first']),
    recordingRow('fourth', ['third']),
    recordingRow('fifth', ['second']),
  );
  expect(ranIds).toEqual(['fifth']);
  const cause = [skipped('Not checked: first has to pass first.')];
  expect([third?.findings, fourth?.findings]).toEqual([cause, cause]);
  expect(fifth?.findings).toEqual([ok('Fine.')]);
});

test('a check that is skipped for its own reason passes that reason on', async () => {
  const [, later] = await run(
    row('tables', () => skipped('They are old.')),
    row('later', () => ok('Fine.'), ['tables']),
  );
  expect(later?.findings).toEqual([skipped('They are old.')]);
});

test('a check that throws is wrong, in one sentence without a stack, and has its own advice', async () => {
  const [first, second] = await run(
    row('first', () => {
      throw new TypeError('a bug');
    }),
    row('second', () => Promise.reject(new Error('a refusal.'))),
  );
  expect(first?.findings).toEqual([wrong('a bug.', 'Fix first.')]);
  expect(second?.findings).toEqual([wrong('a refusal.', 'Fix second.')]);
});

test('a check that does not end is wrong after its timeout, while the others run', async () => {
  const [first, second] = await run(
    row('first', never),
    row('second', () => ok('Fine.')),
  );
  expect(first?.findings).toEqual([wrong('There was no response within 0.05 s.', 'Fix first.')]);
  expect(second?.findings).toEqual([ok('Fine.')]);
});

test('a check that does not apply to the configuration does not run, and depends on nothing', async () => {
  const inapplicable = { ...row('absent', never, ['first']), findSkipReason: () => 'It is not set.' };
  const [, result] = await run(
    row('first', () => wrong('No.', 'Fix it.')),
    inapplicable,
  );
  expect(result).toEqual({ id: 'absent', findings: [skipped('It is not set.')], applies: false });
});

test('the needs of a check may depend on the configuration', async () => {
  const rows = (sqlite: readonly string[]) => [
    row('first', () => wrong('No.', 'Fix it.')),
    {
      ...row('second', () => ok('Fine.')),
      alsoNeeds: ({ database }: Config) => (database.kind === 'sqlite' ? sqlite : ['first']),
    },
  ];
  const stateOf = async (sqlite: readonly string[]) => (await run(...rows(sqlite)))[1]?.findings[0]?.state;
  expect(await stateOf([])).toBe('ok');
  expect(await stateOf(['first'])).toBe('skipped');
});

test('a check cannot need a later check', async () => {
  await expect(run(row('first', () => ok('Fine.'), ['second']))).rejects.toThrow('first needs second');
});

test('each check has a unique id and advice on what to do', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  for (const { id, advice } of checks) {
    expect(id).toMatch(/^[a-z]+([.-][a-z]+)*$/);
    expect(advice).toMatch(/\.$/);
  }
});
