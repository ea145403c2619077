import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import type { SliceRequest } from '@portico/domain';
import { afterEach, expect, test } from 'vitest';
import { createDocumentReader } from './create-document-reader.ts';
import { createOperationSlicer } from './create-operation-slicer.ts';
import { packed } from './packed-text.ts';
import { giveWay } from './thread-priority.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));
const opened = <One extends { close(): Promise<void> }>(one: One): One => {
  open.push(one);
  return one;
};

/** The nice value of each thread of this process, by proc_pid_stat(5): its 19th field, of which the second may have spaces. */
const priorities = (): readonly number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return Number(fields?.[19 - 3]);
  });
const lower = getPriority() + 5;
const threadsThatGiveWay = (): number => priorities().filter((priority) => priority === lower).length;

const text = Buffer.from('{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"paths":{}}');
const slice = { method: 'GET', path: '/none' } as SliceRequest;

/** At the lowest priority no thread can give way to another. */
const lowestPriority = 19;

test.runIf(process.platform === 'linux' && lower <= lowestPriority)(
  'threads that read and slice documents give way to those of requests',
  async () => {
    const before = threadsThatGiveWay();
    await opened(createDocumentReader()).readFile(text, 'json');
    expect(threadsThatGiveWay()).toBe(before + 1);
    const document = { digest: 'd', load: async () => packed(text) };
    await opened(createOperationSlicer())
      .slice(document, slice, null)
      .catch(() => null);
    expect(threadsThatGiveWay()).toBe(before + 2);
    expect(getPriority()).toBe(lower - 5);
  },
);

test('a sandbox that does not allow it changes nothing else', () => {
  const set = () => {
    throw new Error('setpriority: EPERM');
  };
  expect(() => giveWay(set)).not.toThrow();
});
