import { execFile } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { tick } from './batching.ts';

const events: string[] = [];

/** Simulates a request, which is authorized and then sent, with promises that have already been resolved in between. */
const simulateRequest = async (name: string, steps = 1): Promise<void> => {
  await tick.authorize();
  for (let step = 0; step < steps; step++) await Promise.resolve();
  events.push(`${name} authorized`);
  await tick.flush();
  await Promise.resolve();
  events.push(`${name} sent`);
};

describe('the phases of a tick', () => {
  beforeAll(async () => {
    await tick.flush();
  });

  test('each phase finishes for all requests before the next phase begins', async () => {
    events.length = 0;
    await Promise.all([simulateRequest('a', 9), simulateRequest('b'), simulateRequest('c')]);
    expect(events).toEqual(['b authorized', 'c authorized', 'a authorized', 'b sent', 'c sent', 'a sent']);
  });

  test('a loop that flushes continuously does not starve other work', async () => {
    let ticks = 0;
    let isRunning = true;
    const otherWork = (async () => {
      for (; isRunning; await setImmediate()) ticks += 1;
    })();
    for (let round = 0; round < 10; round++) await tick.flush();
    isRunning = false;
    expect(ticks).toBeGreaterThan(8);
    await otherWork;
  });

  test('32 requests are authorized and sent in one tick, and further requests after background work has run', async () => {
    events.length = 0;
    void setImmediate().then(() => events.push('background'));
    await Promise.all(Array.from({ length: 33 }, (_, index) => simulateRequest(String(index))));
    expect(events.indexOf('31 sent')).toBeLessThan(events.indexOf('background'));
    expect(events.indexOf('background')).toBeLessThan(events.indexOf('32 authorized'));
    expect(events).toHaveLength(33 * 2 + 1);
  });

  test('no background work runs between a request and its response, even if the work started earlier', async () => {
    events.length = 0;
    let isRunning = true;
    const backgroundWork = (async () => {
      for (; isRunning; await setImmediate()) events.push('background');
    })();
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    events.length = 0;
    await simulateRequest('a');
    expect(events).toEqual(['a authorized', 'a sent']);
    isRunning = false;
    await backgroundWork;
  });
});

test('a process stays alive while a request waits for a phase, and exits afterwards', async () => {
  const module = new URL('batching.ts', import.meta.url).href;
  const program = `
    const { tick } = await import(${JSON.stringify(module)});
    await tick.authorize();
    await tick.flush();
    // Long after its phase, when nothing else keeps the process alive; more than one batch.
    const passed = () => Promise.all(Array.from({ length: 70 }, () => tick.authorize()));
    setTimeout(() => passed().then(({ length }) => console.log(length, 'passed')), 20);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('70 passed\n');
});
