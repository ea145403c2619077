import { expect, test } from 'vitest';
import type { Config } from '../config.ts';
import { pass, skip, warn, fail, type Check } from './check.ts';
import { checks } from './checks.ts';
import { createExamination } from './examination.ts';
import { runChecks } from './run-checks.ts';

const examination = createExamination({ NODE_ENV: 'test' });
const timeoutMs = 50;
const row = (id: string, execute: Check['execute'], needs: readonly string[] = []): Check => ({
  id,
  needs,
  execute,
  advice: `Fix ${id}.`,
});
const run = (...rows: readonly Check[]) => runChecks(rows, examination, timeoutMs);
const neverSettle = () => new Promise<never>(() => undefined);

test('a check that needs a failed check is skipped and names it; a warning does not skip other checks', async () => {
  const ranIds: string[] = [];
  const recordingRow = (id: string, needs: readonly string[]) =>
    row(
      id,
      () => {
        ranIds.push(id);
        return pass('Fine.');
      },
      needs,
    );
  const [, , thirdResult, fourthResult, fifthResult] = await run(
    row('first', () => [pass('One half.'), fail('The other half.', 'Fix it.')]),
    row('second', () => warn('Hm.', 'Look at it.')),
    recordingRow('third', ['second', 'first']),
    recordingRow('fourth', ['third']),
    recordingRow('fifth', ['second']),
  );
  expect(ranIds).toEqual(['fifth']);
  const cause = [skip('Not checked: first must pass first.')];
  expect([thirdResult?.findings, fourthResult?.findings]).toEqual([cause, cause]);
  expect(fifthResult?.findings).toEqual([pass('Fine.')]);
});

test('a check that is skipped for a reason passes the reason on to the checks that need it', async () => {
  const [, laterResult] = await run(
    row('tables', () => skip('They are old.')),
    row('later', () => pass('Fine.'), ['tables']),
  );
  expect(laterResult?.findings).toEqual([skip('They are old.')]);
});

test('a check that throws fails with one sentence, without a stack trace, and with its own advice', async () => {
  const [firstResult, secondResult] = await run(
    row('first', () => {
      throw new TypeError('a bug');
    }),
    row('second', () => Promise.reject(new Error('an outage.'))),
  );
  expect(firstResult?.findings).toEqual([fail('a bug.', 'Fix first.')]);
  expect(secondResult?.findings).toEqual([fail('an outage.', 'Fix second.')]);
});

test('a check that does not finish fails after its timeout, while the others run', async () => {
  const [firstResult, secondResult] = await run(
    row('first', neverSettle),
    row('second', () => pass('Fine.')),
  );
  expect(firstResult?.findings).toEqual([fail('There was no response within 0.05 s.', 'Fix first.')]);
  expect(secondResult?.findings).toEqual([pass('Fine.')]);
});

test('a check that does not apply to the configuration does not run, even if its prerequisites failed', async () => {
  const inapplicableCheck = { ...row('absent', neverSettle, ['first']), findSkipReason: () => 'It is not set.' };
  const [, result] = await run(
    row('first', () => fail('No.', 'Fix it.')),
    inapplicableCheck,
  );
  expect(result).toEqual({ id: 'absent', findings: [skip('It is not set.')], applies: false });
});

test('the prerequisites of a check may depend on the configuration', async () => {
  const rows = (sqlite: readonly string[]) => [
    row('first', () => fail('No.', 'Fix it.')),
    {
      ...row('second', () => pass('Fine.')),
      listExtraNeeds: ({ database }: Config) => (database.kind === 'sqlite' ? sqlite : ['first']),
    },
  ];
  const stateOf = async (sqlite: readonly string[]) => (await run(...rows(sqlite)))[1]?.findings[0]?.state;
  expect(await stateOf([])).toBe('ok');
  expect(await stateOf(['first'])).toBe('skipped');
});

test('a check cannot need a later check', async () => {
  await expect(run(row('first', () => pass('Fine.'), ['second']))).rejects.toThrow('first needs second');
});

test('each check has a unique id and advice on what to do', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  for (const { id, advice } of checks) {
    expect(id).toMatch(/^[a-z]+([.-][a-z]+)*$/);
    expect(advice).toMatch(/\.$/);
  }
});
