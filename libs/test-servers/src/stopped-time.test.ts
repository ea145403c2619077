import { performance as hooks } from 'node:perf_hooks';
import { setTimeout as promised } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startFaultProxy } from './fault-proxy.ts';
import { startFakeOllama } from './fake-ollama/fake-ollama.ts';
import { sleep } from './real-time.ts';
import { stopTime, type StoppedTime } from './stopped-time.ts';

const stopForTest = (): StoppedTime => {
  const time = stopTime(vi);
  onTestFinished(time.restore);
  return time;
};

/** Functions that call `done` after the time, each with a different kind of timer. */
const waits: readonly [string, (ms: number, done: () => void) => void][] = [
  ['setTimeout', (ms, done) => void setTimeout(done, ms)],
  ['node:timers/promises', (ms, done) => void promised(ms).then(done)],
  ['AbortSignal.timeout', (ms, done) => AbortSignal.timeout(ms).addEventListener('abort', done)],
  ['AbortSignal.any', (ms, done) => AbortSignal.any([AbortSignal.timeout(ms)]).addEventListener('abort', done)],
];

test.each(waits)('%s waits for stopped time to advance', async (_name, wait) => {
  const time = stopForTest();
  let isOver = false;
  wait(1_000, () => (isOver = true));
  await time.advance(999);
  expect(isOver).toBe(false);
  await time.advance(1);
  expect(isOver).toBe(true);
});

test('a timer without a delay does not wait for stopped time', async () => {
  stopForTest();
  await new Promise((resolve) => setTimeout(resolve, 0));
  const clearedTimer = setTimeout(() => expect.fail('It was cleared'), 0);
  clearTimeout(clearedTimer);
  await sleep(20);
});

test('clocks stand still, and advance only as far as the test advances them', async () => {
  const time = stopForTest();
  const readClocks = () => [Date.now(), performance.now(), hooks.now()];
  const before = readClocks();
  await time.advance(86_400_000);
  expect(readClocks().map((now, i) => now - (before[i] ?? 0))).toEqual([86_400_000, 86_400_000, 86_400_000]);
});

test('an expired timeout looks like one of AbortSignal.timeout', async () => {
  const realSignal = AbortSignal.timeout(0);
  await expect.poll(() => realSignal.aborted).toBe(true);
  const time = stopForTest();
  const signal = AbortSignal.timeout(5);
  await time.advance(5);
  expect(signal.reason).toEqual(realSignal.reason);
});

test('sockets and the fault proxy run in real time, and a test can wait for them', async () => {
  const time = stopForTest();
  const before = Date.now();
  const fake = await startFakeOllama();
  onTestFinished(() => fake.close());
  const proxy = await startFaultProxy({ host: '127.0.0.1', port: fake.control.port });
  onTestFinished(() => proxy.close());
  await proxy.set({ latencyMs: 20 });
  let text = '';
  void fetch(proxy.rewriteUrl(fake.url)).then(async (response) => {
    text = await response.text();
  });
  await time.pollInRealTime(() => expect(text).toBe('Ollama is running'));
  expect(Date.now()).toBe(before);
});

test('the model of the fake Ollama runs in stopped time', async () => {
  const time = stopForTest();
  const fake = await startFakeOllama();
  onTestFinished(() => fake.close());
  fake.runner.loadMs = 60_000;
  let isLoaded = false;
  const body = JSON.stringify({ model: 'nomic-embed-text', input: [] });
  const request = fetch(`${fake.url}/api/embed`, { method: 'POST', body }).then(() => (isLoaded = true));
  await time.pollInRealTime(() => expect(fake.runner.loadCount).toBe(1));
  await time.advance(59_999);
  expect(isLoaded).toBe(false);
  await time.advanceUntil(request);
});

test('a failing attempt is repeated while time passes, and a promise that never settles is an error', async () => {
  const time = stopForTest();
  const before = Date.now();
  const attempt = () => (Date.now() < before + 5_000 ? Promise.reject(new Error('not yet')) : 'done');
  expect(await time.advanceUntilSuccess(attempt)).toBe('done');
  await expect(time.advanceUntil(new Promise(() => undefined))).rejects.toThrow('The promise did not settle');
});

test('after it is restored, time is real again', async () => {
  stopTime(vi).restore();
  const before = hooks.now();
  await promised(1);
  expect(hooks.now()).toBeGreaterThan(before);
  const signal = AbortSignal.timeout(1);
  await expect.poll(() => signal.aborted).toBe(true);
});
