import { execFile } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { tick } from './batching.ts';

const events: string[] = [];

/** Like a request: authorized and sent, with promises in between that wait for nothing. */
const pass = async (name: string, steps = 1): Promise<void> => {
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

  test('each is over for all before the next one begins', async () => {
    events.length = 0;
    await Promise.all([pass('a', 9), pass('b'), pass('c')]);
    expect(events).toEqual(['b authorized', 'c authorized', 'a authorized', 'b sent', 'c sent', 'a sent']);
  });

  test('a loop that flushes again and again starves nobody', async () => {
    let turns = 0;
    let isAsked = true;
    const others = (async () => {
      for (; isAsked; await setImmediate()) turns += 1;
    })();
    for (let time = 0; time < 10; time++) await tick.flush();
    isAsked = false;
    expect(turns).toBeGreaterThan(8);
    await others;
  });

  test('32 are authorized and answered at once, further ones after background work has run', async () => {
    events.length = 0;
    void setImmediate().then(() => events.push('background'));
    await Promise.all(Array.from({ length: 33 }, (_, index) => pass(String(index))));
    expect(events.indexOf('31 sent')).toBeLessThan(events.indexOf('background'));
    expect(events.indexOf('background')).toBeLessThan(events.indexOf('32 authorized'));
    expect(events).toHaveLength(33 * 2 + 1);
  });

  test('no background work runs between an arrival and its answer, even if it had begun before', async () => {
    events.length = 0;
    let isAsked = true;
    const background = (async () => {
      for (; isAsked; await setImmediate()) events.push('background');
    })();
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    events.length = 0;
    await pass('a');
    expect(events).toEqual(['a authorized', 'a sent']);
    isAsked = false;
    await background;
  });
});

test('a process that waits goes on, and one that waits no more ends', async () => {
  const module = new URL('batching.ts', import.meta.url).href;
  const program = `
    const { tick } = await import(${JSON.stringify(module)});
    await tick.authorize();
    await tick.flush();
    // Long after its phase, when nothing else keeps the process alive; more than go on at once.
    const passed = () => Promise.all(Array.from({ length: 70 }, () => tick.authorize()));
    setTimeout(() => passed().then(({ length }) => console.log(length, 'went on')), 20);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('70 went on\n');
});
