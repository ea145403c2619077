import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import type { SliceRequest } from '@portico/domain';
import { afterEach, expect, test } from 'vitest';
import { createDocumentReader } from './create-document-reader.ts';
import { createOperationSlicer } from './create-operation-slicer.ts';
import { packText } from './packed-text.ts';
import { lowerThreadPriority } from './lower-thread-priority.ts';

const openResources: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(openResources.splice(0).map((resource) => resource.close())));
const closeLater = <Resource extends { close(): Promise<void> }>(resource: Resource): Resource => {
  openResources.push(resource);
  return resource;
};

/**
 * Returns the nice value of each thread of this process, the 19th field of its `stat` file (proc_pid_stat(5)). The
 * second field can contain spaces.
 */
const readPriorities = (): readonly number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return Number(fields?.[19 - 3]);
  });
const loweredPriority = getPriority() + 5;
const countLoweredThreads = (): number => readPriorities().filter((priority) => priority === loweredPriority).length;

const text = Buffer.from('{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"paths":{}}');
const request = { method: 'GET', path: '/none' } as SliceRequest;

/** The nice value of the lowest priority, which cannot be lowered any further. */
const lowestPriority = 19;

test.runIf(process.platform === 'linux' && loweredPriority <= lowestPriority)(
  'threads that read and slice documents have a lower priority than request threads',
  async () => {
    const before = countLoweredThreads();
    await closeLater(createDocumentReader()).readFile(text);
    expect(countLoweredThreads()).toBe(before + 1);
    const document = { digest: 'd', load: async () => packText(text) };
    await closeLater(createOperationSlicer())
      .slice(document, request, null)
      .catch(() => null);
    expect(countLoweredThreads()).toBe(before + 2);
    expect(getPriority()).toBe(loweredPriority - 5);
  },
);

test('a sandbox that forbids the system call causes no error', () => {
  const failingSetPriority = () => {
    throw new Error('setpriority: EPERM');
  };
  expect(() => lowerThreadPriority(failingSetPriority)).not.toThrow();
});
