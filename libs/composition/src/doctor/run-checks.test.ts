import { expect, test } from 'vitest';
import type { Config } from '../config.ts';
import { ok, skipped, warning, wrong, type Check } from './check.ts';
import { checks } from './checks.ts';
import { createExamination } from './examination.ts';
import { runChecks } from './run-checks.ts';

const examination = createExamination({ NODE_ENV: 'test' });
const limitMs = 50;
const row = (id: string, ask: Check['ask'], needs: readonly string[] = []): Check => ({
  id,
  needs,
  ask,
  advice: `Mend ${id}.`,
});
const run = (...rows: readonly Check[]) => runChecks(rows, examination, limitMs);
const never = () => new Promise<never>(() => undefined);

test('a check that needs one which is wrong is not asked, and says which one; a warning stops nobody', async () => {
  const asked: string[] = [];
  const asking = (id: string, needs: readonly string[]) =>
    row(
      id,
      () => {
        asked.push(id);
        return ok('Fine.');
      },
      needs,
    );
  const [, , third, fourth, fifth] = await run(
    row('first', () => [ok('One half.'), wrong('The other half.', 'Mend it.')]),
    row('second', () => warning('Hm.', 'Look at it.')),
    asking('third', ['second', 'first']),
    asking('fourth', ['third']),
    asking('fifth', ['second']),
  );
  expect(asked).toEqual(['fifth']);
  const cause = [skipped('Not asked: first has to be right first.')];
  expect([third?.findings, fourth?.findings]).toEqual([cause, cause]);
  expect(fifth?.findings).toEqual([ok('Fine.')]);
});

test('what is skipped for a reason of its own hands that reason on', async () => {
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
  expect(first?.findings).toEqual([wrong('a bug.', 'Mend first.')]);
  expect(second?.findings).toEqual([wrong('a refusal.', 'Mend second.')]);
});

test('a check that does not end is wrong at its limit, and the others run beside it', async () => {
  const [first, second] = await run(
    row('first', never),
    row('second', () => ok('Fine.')),
  );
  expect(first?.findings).toEqual([wrong('There was no answer within 0.05 s.', 'Mend first.')]);
  expect(second?.findings).toEqual([ok('Fine.')]);
});

test('what the configuration does not have is not asked, and depends on nothing', async () => {
  const absent = { ...row('absent', never, ['first']), isIdle: () => 'It is not set.' };
  const [, found] = await run(
    row('first', () => wrong('No.', 'Mend it.')),
    absent,
  );
  expect(found).toEqual({ id: 'absent', findings: [skipped('It is not set.')], applies: false });
});

test('what a check needs may depend on the configuration', async () => {
  const rows = (sqlite: readonly string[]) => [
    row('first', () => wrong('No.', 'Mend it.')),
    {
      ...row('second', () => ok('Fine.')),
      alsoNeeds: ({ database }: Config) => (database.kind === 'sqlite' ? sqlite : ['first']),
    },
  ];
  const stateOf = async (sqlite: readonly string[]) => (await run(...rows(sqlite)))[1]?.findings[0]?.state;
  expect(await stateOf([])).toBe('ok');
  expect(await stateOf(['first'])).toBe('skipped');
});

test('a check cannot need one that stands behind it', async () => {
  await expect(run(row('first', () => ok('Fine.'), ['second']))).rejects.toThrow('first needs second');
});

test('each check has an id of its own and says what to do', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  for (const { id, advice } of checks) {
    expect(id).toMatch(/^[a-z]+([.-][a-z]+)*$/);
    expect(advice).toMatch(/\.$/);
  }
});
