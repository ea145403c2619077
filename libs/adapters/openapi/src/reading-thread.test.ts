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

const toBytes = (text: string) => Uint8Array.from(Buffer.from(text));
const pets = '{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"paths":{}}';
const body = (document = pets) => toBytes(`{"openapi_spec":${document}}`);
const throwMissing = (): never => {
  throw new Error('The document was not read');
};
/** Creates a document that takes a second to read. With fake timers, that time does not count against the limit. */
const createSlowDocument = () => toBytes(Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n'));

const openReaders: ClosableDocumentReader[] = [];
const openReader = (options?: DocumentReaderOptions) => {
  const reader = createDocumentReader(options);
  openReaders.push(reader);
  return reader;
};
afterEach(() => Promise.all(openReaders.splice(0).map((reader) => reader.close())));

describe('a document that takes a thread too long to read', () => {
  const timeLimitMs = 30_000;
  /** Stops the timers until the thread has received the document; the test then advances them. */
  const readTooLong = async (documents: ClosableDocumentReader) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const workerEvent = once(process, 'worker') as Promise<[Worker]>;
    const reading = Promise.allSettled([documents.readFile(createSlowDocument())]);
    const [worker] = await workerEvent;
    return { reading, exit: once(worker, 'exit') };
  };
  afterEach(() => void vi.useRealTimers());

  test('is rejected, and the next one is read by a new thread', async () => {
    const documents = openReader({ timeLimitMs });
    const { reading } = await readTooLong(documents);
    const next = documents.readMember(body(), 'openapi_spec', null);
    vi.advanceTimersByTime(timeLimitMs);
    expect(await reading).toMatchObject([
      { reason: { code: 'invalid_body', message: expect.stringContaining('took more than 30 s') as string } },
    ]);
    expect(await next).toMatchObject({ document: { title: 'Pets' } });
  });
  test('terminates the thread that is reading it, but not before the limit', async () => {
    const { reading, exit } = await readTooLong(openReader({ timeLimitMs }));
    vi.advanceTimersByTime(timeLimitMs - 1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect(await reading).toMatchObject([{ status: 'rejected', reason: { code: 'invalid_body' } }]);
    await exit;
  });
});

describe('a large document', () => {
  const createPaddedBody = (length: number) => toBytes(`{"openapi_spec":${pets}}`.padEnd(length));
  const largeBytes = 8_388_608;

  test('causes its thread to exit after it was read, and the next one is read by a new thread', async () => {
    const workerEvent = once(process, 'worker') as Promise<[Worker]>;
    const documents = openReader();
    const reading = documents.readMember(createPaddedBody(largeBytes), 'openapi_spec', null);
    const [worker] = await workerEvent;
    const exit = once(worker, 'exit');
    expect((await reading).document?.title).toBe('Pets');
    await exit;
    expect((await documents.readMember(body(), 'openapi_spec', null)).document?.title).toBe('Pets');
  });
  test('also causes its thread to exit after it was written as YAML, even if its packed text is small', async () => {
    const documents = openReader();
    const longDocument = pets.replace('{', `{${' '.repeat(largeBytes - pets.length)}`);
    const { document } = await documents.readMember(body(longDocument), 'openapi_spec', null);
    const workerEvent = once(process, 'worker') as Promise<[Worker]>;
    const conversion = documents.convertToYaml(document?.packed ?? throwMissing(), null);
    const [worker] = await workerEvent;
    await Promise.all([once(worker, 'exit'), conversion]);
  });
  test('is received in one tick and used in another, and other work can read and write in between', async () => {
    const documents = openReader();
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
    await documents.readMember(createPaddedBody(largeBytes), 'openapi_spec', null);
    expect(events).toEqual(['read', 'write']);
  });
  test('that is one byte smaller does not cause its thread to exit', async () => {
    let threads = 0;
    const count = () => (threads += 1);
    process.on('worker', count);
    const documents = openReader();
    await documents.readMember(createPaddedBody(largeBytes - 1), 'openapi_spec', null);
    await documents.readMember(body(), 'openapi_spec', null);
    process.off('worker', count);
    expect(threads).toBe(1);
  });
});

describe('a document that exceeds the memory of a thread', () => {
  test('is rejected, and the next one is read by a new thread', async () => {
    const documents = openReader({ memoryMegabytes: 24 });
    // The document is YAML, because its parser can be interrupted, unlike the JSON parser.
    const largeText = toBytes(`[${'{a: b}, '.repeat(60_000)}]`);
    const [largeOutcome, nextOutcome] = await Promise.allSettled([
      documents.readFile(largeText),
      documents.readMember(body(), 'openapi_spec', null),
    ]);
    expect(largeOutcome).toMatchObject({
      reason: { code: 'invalid_body', message: expect.stringContaining('too large to be checked') as string },
    });
    expect(nextOutcome).toMatchObject({ value: { document: { title: 'Pets' } } });
  });
});

describe('the queue', () => {
  test('is processed in order of arrival', async () => {
    const documents = openReader();
    const finishedIndexes: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        // The first document takes the longest to read.
        const padding = ' '.repeat(i === 0 ? 4_000_000 : 0);
        await documents.readMember(body(pets.replace('{', `{${padding}`)), 'openapi_spec', null);
        finishedIndexes.push(i);
      }),
    );
    expect(finishedIndexes).toEqual([...finishedIndexes].sort((a, b) => a - b));
  });
  test('continues after a rejection', async () => {
    const documents = openReader();
    const outcomes = await Promise.allSettled(
      [body('[]'), body(), body('{}'), body()].map((content) => documents.readMember(content, 'openapi_spec', null)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  });
  test('several threads read at the same time', async () => {
    const documents = openReader({ threads: 2 });
    let isDone = false;
    const slowRead = documents.readFile(createSlowDocument()).then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await documents.readMember(body(), 'openapi_spec', null);
    expect(isDone).toBe(false);
    await documents.close();
    await slowRead;
  });
});

describe('a document whose deadline expires', () => {
  test('is removed from the queue, and the one after it is read next', async () => {
    const documents = openReader();
    const blockingDeadline = createManualDeadline();
    const expiringDeadline = createManualDeadline();
    const busyRead = Promise.allSettled([documents.readMember(body(), 'openapi_spec', blockingDeadline)]);
    const order: string[] = [];
    const expiredRead = Promise.allSettled([
      documents.readMember(body(), 'openapi_spec', expiringDeadline).finally(() => order.push('left')),
    ]);
    const nextRead = documents.readMember(body(), 'openapi_spec', null).finally(() => order.push('read'));
    expiringDeadline.expire();
    expect(await expiredRead).toMatchObject([{ reason: { code: 'timed_out' } }]);
    blockingDeadline.expire();
    await Promise.all([busyRead, nextRead]);
    expect(order).toEqual(['left', 'read']);
  });
  test('terminates the thread that is reading it, and the next one is read by a new thread', async () => {
    const workerEvent = once(process, 'worker') as Promise<[Worker]>;
    const documents = openReader();
    const deadline = createManualDeadline();
    const reading = Promise.allSettled([documents.readMember(body(), 'openapi_spec', deadline)]);
    const [worker] = await workerEvent;
    const next = documents.readMember(body(), 'openapi_spec', null);
    const exit = once(worker, 'exit');
    deadline.expire();
    expect(await reading).toMatchObject([{ reason: { code: 'timed_out' } }]);
    await exit;
    expect((await next).document?.title).toBe('Pets');
  });
  test('after it was read does not terminate the thread', async () => {
    const documents = openReader();
    const deadline = createManualDeadline();
    await documents.readMember(body(), 'openapi_spec', deadline);
    const next = documents.readMember(body(), 'openapi_spec', null);
    deadline.expire();
    expect((await next).document?.title).toBe('Pets');
  });
});

describe('a document beyond the limits of the queue', () => {
  const outcomesOf = async (options: DocumentReaderOptions, bodies: readonly Uint8Array[]) => {
    const documents = openReader(options);
    const deadline = createManualDeadline();
    const busyRead = Promise.allSettled([documents.readMember(body(), 'openapi_spec', deadline)]);
    const reading = bodies.map((content) => documents.readMember(content, 'openapi_spec', null));
    const settledReads = Promise.allSettled(reading);
    deadline.expire();
    await busyRead;
    // A rejected document does not block later ones.
    expect((await documents.readMember(body(), 'openapi_spec', null)).document?.title).toBe('Pets');
    return (await settledReads).map((outcome) =>
      outcome.status === 'fulfilled' ? 'read' : isPorticoError(outcome.reason, 'internal') && outcome.reason.cause,
    );
  };

  test('is rejected immediately if too many documents are waiting', async () => {
    const rejection = expect.objectContaining({
      message: expect.stringMatching(/^3 documents of \d+ bytes are waiting/) as string,
    }) as Error;
    expect(
      await outcomesOf(
        { waitingMax: 3 },
        Array.from({ length: 4 }, () => body()),
      ),
    ).toEqual(['read', 'read', 'read', rejection]);
  });
  test('is rejected immediately if too many bytes are waiting, and a document that still fits is accepted', async () => {
    const createLongBody = () => body(pets.replace('{', `{${' '.repeat(1_000)}`));
    const waitingBytesMax = 2 * createLongBody().length + body().length;
    const rejection = expect.any(Error) as Error;
    expect(
      await outcomesOf({ waitingBytesMax }, [createLongBody(), createLongBody(), createLongBody(), body(), body()]),
    ).toEqual(['read', 'read', rejection, 'read', rejection]);
  });
});

describe('a closed reader', () => {
  test('rejects running, waiting and later reads', async () => {
    const documents = openReader();
    const reading = [documents.readFile(createSlowDocument()), documents.readMember(body(), 'openapi_spec', null)];
    const settledReads = Promise.allSettled(reading);
    await documents.close();
    for (const outcome of await settledReads) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    }
    await expect(documents.readMember(body(), 'openapi_spec', null)).rejects.toMatchObject({ code: 'internal' });
  });
  test('can be closed without having been used', async () => {
    await expect(openReader().close()).resolves.toBeUndefined();
  });
});

test('the main thread keeps running while a large document is read', async () => {
  const documents = openReader();
  await documents.readMember(body(), 'openapi_spec', null);
  const filler = Array.from({ length: 150_000 }, (_, i) => `"k${i}":{"type":"object"}`).join(',');
  const largeBody = body(pets.replace('{', `{"components":{"schemas":{${filler}}},`));
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await documents.readMember(largeBody, 'openapi_spec', null);
  clearInterval(timer);
  // If the document were read in this thread, there would be no ticks meanwhile.
  expect(ticks).toBeGreaterThan(5);
});

test('a small Buffer, which is a view of the shared pool of Node.js, is read without detaching the pool', async () => {
  const documents = openReader();
  const [otherBuffer, content, memberBody] = [
    Buffer.from('other'),
    Buffer.from(pets),
    Buffer.from(`{"openapi_spec":${pets}}`),
  ];
  expect((await documents.readFile(content)).title).toBe('Pets');
  expect((await documents.readMember(memberBody, 'openapi_spec', null)).document?.title).toBe('Pets');
  expect(otherBuffer.toString()).toBe('other');
});

test('below the first level, a member named __proto__ is plain data', async () => {
  const { fields } = await openReader().readMember(
    toBytes('{"a":{"__proto__":{"polluted":1},"constructor":2}}'),
    'openapi_spec',
    null,
  );
  expect(JSON.stringify(fields)).toBe('{"a":{"__proto__":{"polluted":1},"constructor":2}}');
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
