import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { createManualDeadline } from '@portico/contracts';
import { isPorticoError } from '@portico/domain';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  createDocumentReader,
  type ClosableDocumentReader,
  type DocumentReaderOptions,
} from './create-document-reader.ts';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text));
const pets = '{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"paths":{}}';
const body = (document = pets) => bytes(`{"openapi_spec":${document}}`);
const missing = (): never => {
  throw new Error('The document was not read');
};
/** Creates a document that takes a second to read. With fake timers, that time does not count against the limit. */
const slow = () => bytes(Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n'));

const open: ClosableDocumentReader[] = [];
const reader = (options?: DocumentReaderOptions) => {
  const one = createDocumentReader(options);
  open.push(one);
  return one;
};
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

describe('a document that a thread does not finish in time', () => {
  const timeLimitMs = 30_000;
  /** Stops the timers until the thread has received the document; the test then advances them. */
  const readTooLong = async (documents: ClosableDocumentReader) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const started = once(process, 'worker') as Promise<[Worker]>;
    const reading = Promise.allSettled([documents.readFile(slow(), 'yaml')]);
    const [worker] = await started;
    return { reading, exited: once(worker, 'exit') };
  };
  afterEach(() => void vi.useRealTimers());

  test('is rejected, and the next one is read by a new thread', async () => {
    const documents = reader({ timeLimitMs });
    const { reading } = await readTooLong(documents);
    const next = documents.readMember(body(), 'openapi_spec', null);
    vi.advanceTimersByTime(timeLimitMs);
    expect(await reading).toMatchObject([
      { reason: { code: 'invalid_body', message: expect.stringContaining('took over 30 s') as string } },
    ]);
    expect(await next).toMatchObject({ document: { title: 'Pets' } });
  });
  test('ends the thread that is reading it, but not before the limit', async () => {
    const { reading, exited } = await readTooLong(reader({ timeLimitMs }));
    vi.advanceTimersByTime(timeLimitMs - 1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await reading).toMatchObject([{ status: 'rejected', reason: { code: 'invalid_body' } }]);
    await exited;
  });
});

describe('a large document', () => {
  const padded = (length: number) => bytes(`{"openapi_spec":${pets}}`.padEnd(length));
  const largeBytes = 8_388_608;

  test('ends its thread after it was read, and the next one is read by a new thread', async () => {
    const started = once(process, 'worker') as Promise<[Worker]>;
    const documents = reader();
    const reading = documents.readMember(padded(largeBytes), 'openapi_spec', null);
    const [worker] = await started;
    const exited = once(worker, 'exit');
    expect((await reading).document?.title).toBe('Pets');
    await exited;
    expect((await documents.readMember(body(), 'openapi_spec', null)).document?.title).toBe('Pets');
  });
  test('also ends its thread after it was written as YAML, even if its packed text is small', async () => {
    const documents = reader();
    const long = pets.replace('{', `{${' '.repeat(largeBytes - pets.length)}`);
    const { document } = await documents.readMember(body(long), 'openapi_spec', null);
    const started = once(process, 'worker') as Promise<[Worker]>;
    const writing = documents.yamlText(document?.packed ?? missing(), null);
    const [worker] = await started;
    await Promise.all([once(worker, 'exit'), writing]);
  });
  test('is received in one tick and used in another, and other work can read and write in between', async () => {
    const documents = reader();
    const events: string[] = [];
    process.once('worker', (worker) => {
      // This listener runs before the reader's.
      worker.prependOnceListener('message', () => {
        setImmediate(() =>
          setImmediate(() => {
            events.push('read');
            setImmediate(() => events.push('write'));
          }),
        );
      });
    });
    await documents.readMember(padded(largeBytes), 'openapi_spec', null);
    expect(events).toEqual(['read', 'write']);
  });
  test('that is a byte smaller leaves its thread to the next one', async () => {
    let threads = 0;
    const count = () => (threads += 1);
    process.on('worker', count);
    const documents = reader();
    await documents.readMember(padded(largeBytes - 1), 'openapi_spec', null);
    await documents.readMember(body(), 'openapi_spec', null);
    process.off('worker', count);
    expect(threads).toBe(1);
  });
});

describe('a document that exceeds the memory of a thread', () => {
  test('is rejected, and the next one is read by a new thread', async () => {
    const documents = reader({ memoryMegabytes: 24 });
    // The document is YAML, because its parser can be interrupted, unlike the JSON parser.
    const large = bytes(`[${'{a: b}, '.repeat(60_000)}]`);
    const [fat, next] = await Promise.allSettled([
      documents.readFile(large, 'yaml'),
      documents.readMember(body(), 'openapi_spec', null),
    ]);
    expect(fat).toMatchObject({
      reason: { code: 'invalid_body', message: expect.stringContaining('too large to be checked') as string },
    });
    expect(next).toMatchObject({ value: { document: { title: 'Pets' } } });
  });
});

describe('the queue', () => {
  test('is processed in order of arrival', async () => {
    const documents = reader();
    const done: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        // The first document takes the longest to read.
        const padding = ' '.repeat(i === 0 ? 4_000_000 : 0);
        await documents.readMember(body(pets.replace('{', `{${padding}`)), 'openapi_spec', null);
        done.push(i);
      }),
    );
    expect(done).toEqual([...done].sort((a, b) => a - b));
  });
  test('continues after a rejection', async () => {
    const documents = reader();
    const outcomes = await Promise.allSettled(
      [body('[]'), body(), body('{}'), body()].map((one) => documents.readMember(one, 'openapi_spec', null)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  });
  test('several threads read at the same time', async () => {
    const documents = reader({ threads: 2 });
    let isDone = false;
    const first = documents.readFile(slow(), 'yaml').then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await documents.readMember(body(), 'openapi_spec', null);
    expect(isDone).toBe(false);
    await documents.close();
    await first;
  });
});

describe('a document whose deadline expires', () => {
  test('leaves the queue, and the one after it is read next', async () => {
    const documents = reader();
    const blocking = createManualDeadline();
    const expiring = createManualDeadline();
    const busy = Promise.allSettled([documents.readMember(body(), 'openapi_spec', blocking)]);
    const order: string[] = [];
    const left = Promise.allSettled([
      documents.readMember(body(), 'openapi_spec', expiring).finally(() => order.push('left')),
    ]);
    const next = documents.readMember(body(), 'openapi_spec', null).finally(() => order.push('read'));
    expiring.expire();
    expect(await left).toMatchObject([{ reason: { code: 'timed_out' } }]);
    blocking.expire();
    await Promise.all([busy, next]);
    expect(order).toEqual(['left', 'read']);
  });
  test('ends the thread that is reading it, and the next one is read by a new thread', async () => {
    const started = once(process, 'worker') as Promise<[Worker]>;
    const documents = reader();
    const deadline = createManualDeadline();
    const reading = Promise.allSettled([documents.readMember(body(), 'openapi_spec', deadline)]);
    const [worker] = await started;
    const next = documents.readMember(body(), 'openapi_spec', null);
    const exited = once(worker, 'exit');
    deadline.expire();
    expect(await reading).toMatchObject([{ reason: { code: 'timed_out' } }]);
    await exited;
    expect((await next).document?.title).toBe('Pets');
  });
  test('after it was read does not end the thread', async () => {
    const documents = reader();
    const deadline = createManualDeadline();
    await documents.readMember(body(), 'openapi_spec', deadline);
    const next = documents.readMember(body(), 'openapi_spec', null);
    deadline.expire();
    expect((await next).document?.title).toBe('Pets');
  });
});

describe('a document beyond the limits of the queue', () => {
  const outcomesOf = async (options: DocumentReaderOptions, bodies: readonly Uint8Array[]) => {
    const documents = reader(options);
    const deadline = createManualDeadline();
    const busy = Promise.allSettled([documents.readMember(body(), 'openapi_spec', deadline)]);
    const reading = bodies.map((one) => documents.readMember(one, 'openapi_spec', null));
    const settled = Promise.allSettled(reading);
    deadline.expire();
    await busy;
    // A rejected document does not block later ones.
    expect((await documents.readMember(body(), 'openapi_spec', null)).document?.title).toBe('Pets');
    return (await settled).map((outcome) =>
      outcome.status === 'fulfilled' ? 'read' : isPorticoError(outcome.reason, 'internal') && outcome.reason.cause,
    );
  };

  test('is rejected immediately if too many documents wait', async () => {
    const rejection = expect.objectContaining({
      message: expect.stringMatching(/^3 documents of \d+ bytes wait/) as string,
    }) as Error;
    expect(
      await outcomesOf(
        { waitingMax: 3 },
        Array.from({ length: 4 }, () => body()),
      ),
    ).toEqual(['read', 'read', 'read', rejection]);
  });
  test('is rejected immediately if too many bytes wait, and a document that still fits is accepted', async () => {
    const long = () => body(pets.replace('{', `{${' '.repeat(1_000)}`));
    const waitingBytesMax = 2 * long().length + body().length;
    const rejection = expect.any(Error) as Error;
    expect(await outcomesOf({ waitingBytesMax }, [long(), long(), long(), body(), body()])).toEqual([
      'read',
      'read',
      rejection,
      'read',
      rejection,
    ]);
  });
});

describe('a closed reader', () => {
  test('rejects running, waiting and later reads', async () => {
    const documents = reader();
    const reading = [documents.readFile(slow(), 'yaml'), documents.readMember(body(), 'openapi_spec', null)];
    const settled = Promise.allSettled(reading);
    await documents.close();
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    }
    await expect(documents.readMember(body(), 'openapi_spec', null)).rejects.toMatchObject({ code: 'internal' });
  });
  test('can be closed without having been used', async () => {
    await expect(reader().close()).resolves.toBeUndefined();
  });
});

test('the main thread keeps running while a large document is read', async () => {
  const documents = reader();
  await documents.readMember(body(), 'openapi_spec', null);
  const filler = Array.from({ length: 150_000 }, (_, i) => `"k${i}":{"type":"object"}`).join(',');
  const large = body(pets.replace('{', `{"components":{"schemas":{${filler}}},`));
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await documents.readMember(large, 'openapi_spec', null);
  clearInterval(timer);
  // If the document were read in this thread, there would be no ticks meanwhile.
  expect(ticks).toBeGreaterThan(5);
});

test('a small Buffer, which is a view of the shared pool of Node.js, is read without detaching the pool', async () => {
  const documents = reader();
  const [other, content, memberBody] = [
    Buffer.from('other'),
    Buffer.from(pets),
    Buffer.from(`{"openapi_spec":${pets}}`),
  ];
  expect((await documents.readFile(content, 'json')).title).toBe('Pets');
  expect((await documents.readMember(memberBody, 'openapi_spec', null)).document?.title).toBe('Pets');
  expect(other.toString()).toBe('other');
});

test('below the first level, a member named __proto__ is plain data', async () => {
  const { fields } = await reader().readMember(
    bytes('{"a":{"__proto__":{"polluted":1},"constructor":2}}'),
    'openapi_spec',
    null,
  );
  expect(JSON.stringify(fields)).toBe('{"a":{"__proto__":{"polluted":1},"constructor":2}}');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
