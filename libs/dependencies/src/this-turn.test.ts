import { execFile } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { thisTurn } from './this-turn.ts';

const events: string[] = [];

/** As a request: judged and sent, with promises in between that wait for nothing. */
const pass = async (name: string, steps = 1): Promise<void> => {
  await thisTurn.arrived();
  for (let step = 0; step < steps; step++) await Promise.resolve();
  events.push(`${name} judged`);
  await thisTurn.settled();
  await Promise.resolve();
  events.push(`${name} sent`);
};

describe('the stages of a turn', () => {
  beforeAll(async () => {
    await thisTurn.settled();
  });

  test('each is over for all before the next one begins', async () => {
    events.length = 0;
    await Promise.all([pass('a', 9), pass('b'), pass('c')]);
    expect(events).toEqual(['b judged', 'c judged', 'a judged', 'b sent', 'c sent', 'a sent']);
  });

  test('who waits again and again leaves others their turn', async () => {
    let turns = 0;
    let isAsked = true;
    const others = (async () => {
      for (; isAsked; await setImmediate()) turns += 1;
    })();
    for (let time = 0; time < 10; time++) await thisTurn.settled();
    isAsked = false;
    expect(turns).toBeGreaterThan(8);
    await others;
  });

  test('32 are judged and answered at once, further ones after background work had its turn', async () => {
    events.length = 0;
    void setImmediate().then(() => events.push('background'));
    await Promise.all(Array.from({ length: 33 }, (_, index) => pass(String(index))));
    expect(events.indexOf('31 sent')).toBeLessThan(events.indexOf('background'));
    expect(events.indexOf('background')).toBeLessThan(events.indexOf('32 judged'));
    expect(events).toHaveLength(33 * 2 + 1);
  });

  test('no background work comes between an arrival and its answer, even if it had begun before', async () => {
    events.length = 0;
    let isAsked = true;
    const background = (async () => {
      for (; isAsked; await setImmediate()) events.push('background');
    })();
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    events.length = 0;
    await pass('a');
    expect(events).toEqual(['a judged', 'a sent']);
    isAsked = false;
    await background;
  });
});

test('a process that waits goes on, and one that waits no more ends', async () => {
  const module = new URL('this-turn.ts', import.meta.url).href;
  const program = `
    const { thisTurn } = await import(${JSON.stringify(module)});
    await thisTurn.arrived();
    await thisTurn.settled();
    // Long after its stage, when nothing else keeps the process alive; more than go on at once.
    const passed = () => Promise.all(Array.from({ length: 70 }, () => thisTurn.arrived()));
    setTimeout(() => passed().then(({ length }) => console.log(length, 'went on')), 20);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(stdout).toBe('70 went on\n');
});
