import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { stoppedTime } from '../test/observed-connection.ts';
import { RunningTimeLimits, sliceMs } from './running-time-limits.ts';

const slices = 4;
const limitMs = slices * sliceMs;

test('a limit ends once, not too early, and at most a slice later', async () => {
  const time = stoppedTime();
  const limits = new RunningTimeLimits();
  const ended: string[] = [];
  limits.start(limitMs, () => ended.push('at the start of a slice'));
  await time.pass(sliceMs / 2);
  // Gets no less time than the first: the slice under way does not count.
  limits.start(limitMs, () => ended.push('within a slice'));
  for (let slice = 0; slice < slices; slice++) await time.pass(sliceMs);
  expect(ended).toEqual([]);
  await time.pass(sliceMs / 2);
  expect(ended).toEqual(['at the start of a slice', 'within a slice']);
  await time.pass(2 * limitMs);
  expect(ended).toHaveLength(2);
});

test('a stopped limit never ends, and the others do', async () => {
  const time = stoppedTime();
  const limits = new RunningTimeLimits();
  const ended: string[] = [];
  const passAll = async () => {
    for (let slice = 0; slice <= slices; slice++) await time.pass(sliceMs);
  };
  const stopped = limits.start(limitMs, () => ended.push('stopped'));
  limits.start(limitMs, () => ended.push('other'));
  limits.stop(stopped);
  await passAll();
  expect(ended).toEqual(['other']);
  // After a pause, too.
  await time.pass(limitMs);
  limits.start(limitMs, () => ended.push('later'));
  await passAll();
  expect(ended).toEqual(['other', 'later']);
  expect(limits.running).toBe(0);
});

/** A connection to a server in this process, so that the test decides when a reply comes. */
const connectToSelf = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dialled = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(dialled, 'connect')])) as [[Socket], []];
  onTestFinished(() => {
    dialled.destroy();
    server.close();
  });
  return {
    /** Resolves when the answer is on its way, which is not read yet. */
    answer: () => new Promise<void>((resolve) => accepted.write('x', () => resolve())),
    answered: () => once(dialled, 'data'),
  };
};

/** This turn's poll of the sockets is over. */
const afterThePoll = () => new Promise(setImmediate);

/** After a stall, all timers that are due fire before anything is read. */
const stall = (ms: number) => vi.advanceTimersByTime(ms);

test('data that arrives during a long stall is in time', async () => {
  stoppedTime();
  const connection = await connectToSelf();
  const limits = new RunningTimeLimits();
  let isLate = false;
  for (const times of [100, 10, 2, 1]) {
    const limit = limits.start(limitMs, () => (isLate = true));
    const answered = connection.answered();
    await afterThePoll();
    const onItsWay = connection.answer();
    stall(times * limitMs);
    await answered;
    limits.stop(limit);
    await onItsWay;
  }
  expect(isLate).toBe(false);
});

test('data that arrives in the last slice is in time, although the process stalls until its end', async () => {
  const time = stoppedTime();
  const connection = await connectToSelf();
  const limits = new RunningTimeLimits();
  let isLate = false;
  for (let tries = 0; tries < 5; tries++) {
    // The last slice of the try before ends.
    await time.pass(sliceMs);
    const limit = limits.start(limitMs, () => (isLate = true));
    for (let slice = 0; slice < slices; slice++) await time.pass(sliceMs);
    expect(limit.value.slicesLeft).toBe(1);
    const answered = connection.answered();
    await afterThePoll();
    const onItsWay = connection.answer();
    stall(2 * sliceMs);
    await answered;
    limits.stop(limit);
    await onItsWay;
  }
  expect(isLate).toBe(false);
});
