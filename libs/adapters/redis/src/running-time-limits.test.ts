import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { standStill } from '../test/stand-still.ts';
import { RunningTimeLimits, sliceMs } from './running-time-limits.ts';

const patienceMs = 60_000;
const limitMs = 4 * sliceMs;

const until = async (isSo: () => boolean): Promise<void> => {
  for (const end = performance.now() + patienceMs; !isSo() && performance.now() < end;) await sleep(5);
};

test('a limit ends once, and not too early', async () => {
  const limits = new RunningTimeLimits();
  const startedAt = performance.now();
  const ends: number[] = [];
  // A second limit, started mid-slice, gets no less time than the first.
  limits.start(limitMs, () => ends.push(performance.now() - startedAt));
  await sleep(sliceMs / 2);
  const lasted = performance.now();
  limits.start(limitMs, () => ends.push(performance.now() - lasted));
  await until(() => ends.length === 2);
  await sleep(limitMs);
  expect(ends).toHaveLength(2);
  for (const lastedMs of ends) expect(lastedMs).toBeGreaterThanOrEqual(limitMs - 5);
});

test('a stopped limit never ends, and the others do', async () => {
  const limits = new RunningTimeLimits();
  const ended: string[] = [];
  const stopped = limits.start(limitMs, () => ended.push('stopped'));
  limits.start(limitMs, () => ended.push('other'));
  limits.stop(stopped);
  await until(() => ended.length > 0);
  await sleep(2 * limitMs);
  expect(ended).toEqual(['other']);
  // After a pause, too.
  limits.start(limitMs, () => ended.push('later'));
  await until(() => ended.length > 1);
  expect(ended).toEqual(['other', 'later']);
  expect(limits.running).toBe(0);
});

/** A connection to a server in this process, so that the test decides when a reply comes. */
const connectToSelf = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dialled = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(dialled, 'connect')])) as [[Socket], []];
  return {
    answer: () => accepted.write('x'),
    answered: () => once(dialled, 'data'),
    close: () => {
      dialled.destroy();
      server.close();
    },
  };
};

test('data that arrives during a long stall is in time', async () => {
  const connection = await connectToSelf();
  const limits = new RunningTimeLimits();
  let isLate = false;
  for (const stillMs of [10, 5, 2, 1].map((times) => times * limitMs)) {
    const limit = limits.start(limitMs, () => (isLate = true));
    const answered = connection.answered();
    standStill(stillMs);
    await sleep(0);
    // Within the limit, counted in this process's running time.
    connection.answer();
    await answered;
    limits.stop(limit);
  }
  connection.close();
  expect(isLate).toBe(false);
});

test('data that arrives in the last slice is in time, although the process stalls until its end', async () => {
  const connection = await connectToSelf();
  const limits = new RunningTimeLimits();
  let [tried, late] = [0, 0];
  for (const end = performance.now() + patienceMs; tried < 5 && performance.now() < end;) {
    let isOver = false;
    const limit = limits.start(sliceMs, () => (isOver = true));
    await until(() => limit.value.slicesLeft === 1);
    // After this turn's timers: once the stall is over, timers run first, and the sockets only then.
    await new Promise(setImmediate);
    if (isOver) continue;
    tried++;
    const answered = connection.answered();
    connection.answer();
    standStill(2 * sliceMs);
    await answered;
    limits.stop(limit);
    if (isOver) late++;
  }
  connection.close();
  expect([tried, late]).toEqual([5, 0]);
});
