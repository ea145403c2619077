import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@portico/contracts';
import type { LimitRule } from '@portico/domain';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createInProcessRateLimiter } from './in-process-rate-limiter.ts';

const ruleOf = (allowed: number, windowSeconds: number): LimitRule => ({ allowed, windowSeconds });
const day = 86_400_000;

let folder = '';
let stateFile = '';
let warnings: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-limits-'));
  stateFile = join(folder, 'rate-limits');
  warnings = [];
});
afterEach(() => rm(folder, { recursive: true }));

const open = (clock: ManualClock) =>
  createInProcessRateLimiter({ clock, stateFile, log: { warn: (_fields, message) => void warnings.push(message) } });

/** Simulates a process that consumes `times` requests and exits. Returns the clock of the next process. */
const runProcess = async (rule: LimitRule, times: number): Promise<ManualClock> => {
  const clock = new ManualClock(5_000_000);
  const limiter = await open(clock);
  for (let i = 0; i < times; i++) await limiter.consume('ada', rule);
  await limiter.close();
  return clock.copyForNewProcess(17);
};

test('the counts survive a restart, and leave the window on time', async () => {
  for (const rule of [ruleOf(10, 60), ruleOf(1500, 60)]) {
    const clock = await runProcess(rule, rule.allowed);
    clock.advance(20_000);
    const limiter = await open(clock);
    const quota = await limiter.consume('ada', rule);
    expect([quota.isAdmitted, quota.remaining, quota.resetSeconds, quota.retryAfterSeconds]).toEqual([
      false,
      0,
      40,
      40,
    ]);
    clock.advance(40_000);
    expect((await limiter.consume('ada', rule)).isAdmitted).toBe(true);
  }
  expect(warnings).toEqual([]);
});

test('the file is complete, readable only by its owner, and removed once read', async () => {
  const clock = await runProcess(ruleOf(10, 60), 3);
  expect(await readdir(folder)).toEqual(['rate-limits']);
  expect((await stat(stateFile)).mode & 0o777).toBe(0o600);
  await open(clock);
  expect(await readdir(folder)).toEqual([]);
});

test('without a state file, the counts are lost with the process, and nothing is logged', async () => {
  const limiter = await open(new ManualClock());
  expect((await limiter.consume('ada', ruleOf(1, 60))).isAdmitted).toBe(true);
  expect(warnings).toEqual([]);
});

test('setting the clock of the machine back during a restart frees no subject early', async () => {
  const rule = ruleOf(5, 60);
  const clock = await runProcess(rule, 5);
  clock.jump(-day);
  const limiter = await open(clock);
  clock.advance(59_999);
  expect((await limiter.consume('ada', rule)).isAdmitted).toBe(false);
  clock.advance(1);
  expect((await limiter.consume('ada', rule)).isAdmitted).toBe(true);
});

test('a subject without requests in any window is not restored', async () => {
  const clock = await runProcess(ruleOf(5, 60), 5);
  clock.advance(60_000);
  expect((await open(clock)).subjectCount).toBe(0);
});

test('a truncated file is logged, and the counts start from zero', async () => {
  const rule = ruleOf(5, 60);
  await runProcess(rule, 5);
  const content = await readFile(stateFile);
  for (const length of [0, 5, 22, 40, 54, content.length - 1]) {
    warnings = [];
    await writeFile(stateFile, content);
    await truncate(stateFile, length);
    const limiter = await open(new ManualClock());
    expect(warnings).toHaveLength(1);
    expect((await limiter.consume('ada', rule)).remaining).toBe(4);
  }
});

test('a file with one flipped bit is logged, and the counts start from zero', async () => {
  await runProcess(ruleOf(5, 60), 5);
  const bytes = await readFile(stateFile);
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
  await writeFile(stateFile, bytes);
  expect((await open(new ManualClock())).subjectCount).toBe(0);
  expect(warnings).toEqual([`Rate limits start from zero: ${stateFile} is corrupt`]);
});

test('a foreign file is logged and left unchanged', async () => {
  await writeFile(stateFile, '{"rates": []}');
  expect((await open(new ManualClock())).subjectCount).toBe(0);
  expect(warnings).toEqual([`Rate limits start from zero: ${stateFile} does not contain rate limits of this version`]);
  expect(await readFile(stateFile, 'utf8')).toBe('{"rates": []}');
});

test('a file older than the longest window is logged and not used', async () => {
  const clock = await runProcess(ruleOf(5, 2_678_400), 5);
  clock.advance(31 * day);
  expect((await open(clock)).subjectCount).toBe(0);
  expect(warnings).toEqual([`Rate limits start from zero: ${stateFile} is too old`]);
});

test('failing to write the state is an error, and leaves no file behind', async () => {
  const limiter = await createInProcessRateLimiter({ clock: new ManualClock(), stateFile: join(folder, 'no', 'file') });
  await limiter.consume('ada', ruleOf(5, 60));
  await expect(limiter.close()).rejects.toThrow(/ENOENT/);
  expect(await readdir(folder)).toEqual([]);
});
