import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { createManualDeadline } from '@portico/contracts';
import {
  defaultCallSettings,
  type CollectionId,
  type OperationKey,
  type SliceRequest,
  type StoredDocument,
} from '@portico/domain';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createOperationSlicer,
  type ClosableOperationSlicer,
  type OperationSlicerOptions,
} from './create-operation-slicer.ts';
import { packText } from './packed-text.ts';
import { SparseDocument } from './sparse-document.ts';

const openSlicers: ClosableOperationSlicer[] = [];
const openSlicer = (options?: OperationSlicerOptions) => {
  const slicer = createOperationSlicer(options);
  openSlicers.push(slicer);
  return slicer;
};
afterEach(() => Promise.all(openSlicers.splice(0).map((slicer) => slicer.close())));

const textOf = (title: string): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      openapi: '3.0.3',
      info: { title, version: '1' },
      paths: { '/pets/{id}': { get: { operationId: 'getPet', summary: `A pet of ${title}`, responses: {} } } },
    }),
  );

interface CountedDocument extends StoredDocument {
  readonly countLoads: () => number;
}

const documentOf = (title: string, text = textOf(title)): CountedDocument => {
  let loadCount = 0;
  return {
    digest: title,
    load: async () => {
      loadCount++;
      return packText(text);
    },
    countLoads: () => loadCount,
  };
};

const request: SliceRequest = {
  method: 'GET',
  path: '/pets/{id}',
  form: 'slice',
  detail: 'request',
  maxBytes: 8_192,
  context: {
    collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
    collectionName: 'Pets',
    operationKey: 'abcdefghijklmnop' as OperationKey,
    settings: { ...defaultCallSettings, baseUrl: 'https://pets.example/v1/' },
  },
};

const read = (bytes: Uint8Array): Record<string, unknown> =>
  JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;

describe('an operation', () => {
  test('is sliced out of its document in each form', async () => {
    const [slicer, pets] = [openSlicer(), documentOf('Pets')];
    expect(read(await slicer.slice(pets, request, null))).toMatchObject({
      url: 'https://pets.example/v1/pets/{id}',
      summary: 'A pet of Pets',
    });
    expect(read(await slicer.slice(pets, { ...request, form: 'tool' }, null))).toMatchObject({
      name: 'getPet_abcdf9071a',
    });
    const { method, path, context } = request;
    expect(await slicer.prepare(pets, { method, path, context, argumentsText: '{"id":"7"}' }, null)).toMatchObject({
      request: { method: 'GET', url: 'https://pets.example/v1/pets/7' },
    });
    expect(read(await slicer.slice(pets, { ...request, form: 'openapi' }, null))).toMatchObject({ openapi: '3.0.3' });
    expect(pets.countLoads()).toBe(1);
  });
  test.each([
    ['with a different path', { path: '/pets' }],
    ['with a different method', { method: 'POST' }],
  ])('%s is not found', async (_, overrides) => {
    await expect(openSlicer().slice(documentOf('Pets'), { ...request, ...overrides }, null)).rejects.toMatchObject({
      code: 'operation_not_found',
    });
  });
});

describe('a document', () => {
  test('is loaded once for concurrent requests', async () => {
    const [slicer, pets] = [openSlicer(), documentOf('Pets')];
    await Promise.all(Array.from({ length: 20 }, () => slicer.slice(pets, request, null)));
    expect(pets.countLoads()).toBe(1);
  });
  test('is evicted first if it was used least recently', async () => {
    const names = ['a', 'b', 'c'];
    const [a, b, c] = names.map((name) => documentOf(name)) as [CountedDocument, CountedDocument, CountedDocument];
    // The document grows a little when its paths are read.
    const slicer = openSlicer({ cachedBytesMax: 2.5 * new SparseDocument(textOf('a')).bytes });
    for (const document of [a, b, a, c, a]) await slicer.slice(document, request, null);
    expect([a, b, c].map(({ countLoads }) => countLoads())).toEqual([1, 1, 1]);
    await slicer.slice(b, request, null);
    expect(b.countLoads()).toBe(2);
  });
  test('is cached alone if it exceeds the limit of the cache', async () => {
    const [a, b] = [documentOf('a'), documentOf('b')];
    const slicer = openSlicer({ cachedBytesMax: 1 });
    for (const document of [a, a, b, b]) await slicer.slice(document, request, null);
    expect([a, b].map(({ countLoads }) => countLoads())).toEqual([1, 1]);
  });
  test('that cannot be loaded makes its requests fail, and the next request loads it again', async () => {
    const [slicer, pets] = [openSlicer(), documentOf('Pets')];
    const brokenDocument = { digest: 'Pets', load: () => Promise.reject(new Error('the database is unavailable')) };
    await expect(slicer.slice(brokenDocument, request, null)).rejects.toThrow('the database is unavailable');
    expect(read(await slicer.slice(pets, request, null))).toMatchObject({ summary: 'A pet of Pets' });
  });
  test('with a corrupt text causes an internal error', async () => {
    const corruptDocument = documentOf('Pets', Buffer.from('{"openapi":'));
    await expect(openSlicer().slice(corruptDocument, request, null)).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('a thread that dies', () => {
  test('is replaced, and the document is loaded again', async () => {
    const workerEvent = once(process, 'worker') as Promise<[Worker]>;
    const [slicer, pets] = [openSlicer(), documentOf('Pets')];
    await slicer.slice(pets, request, null);
    const [worker] = await workerEvent;
    await worker.terminate();
    await slicer.slice(pets, request, null);
    expect(pets.countLoads()).toBe(2);
  });
});

describe('a request whose deadline expires', () => {
  test('while its document is being loaded is rejected, and other requests still get the document', async () => {
    const [slicer, deadline] = [openSlicer(), createManualDeadline()];
    const pets = documentOf('Pets');
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slowDocument: StoredDocument = { digest: 'Pets', load: () => gate.then(() => pets.load()) };
    const expiringSlice = Promise.allSettled([slicer.slice(slowDocument, request, deadline)]);
    const otherSlice = slicer.slice(slowDocument, request, null);
    await expect.poll(() => deadline.hasExpired).toBe(false);
    deadline.expire();
    expect(await expiringSlice).toMatchObject([{ reason: { code: 'timed_out' } }]);
    release();
    expect(read(await otherSlice)).toMatchObject({ summary: 'A pet of Pets' });
  });
  test('while its document waits for the thread removes the document from the queue', async () => {
    const [slicer, deadline] = [openSlicer(), createManualDeadline()];
    const pets = documentOf('Pets');
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slowDocument: StoredDocument = { digest: 'Pets', load: () => gate.then(() => pets.load()) };
    const expiringSlice = Promise.allSettled([slicer.slice(slowDocument, request, deadline)]);
    // The thread processes this slice after the expiring one, which is loading its document by then.
    const otherDocument = documentOf('Others');
    await slicer.slice(otherDocument, request, null);
    const nextSlice = slicer.slice(otherDocument, request, null);
    release();
    // Meanwhile, the thread's results cannot arrive: its messages wait for the next tick of the event loop.
    for (let job = 0; job < 20; job++) await Promise.resolve();
    expect(pets.countLoads()).toBe(1);
    deadline.expire();
    expect(await expiringSlice).toMatchObject([{ reason: { code: 'timed_out' } }]);
    await nextSlice;
    expect(read(await slicer.slice(pets, request, null))).toMatchObject({ summary: 'A pet of Pets' });
    expect(pets.countLoads()).toBe(2);
  });
  test('before it starts does not reach a thread', async () => {
    const deadline = createManualDeadline();
    deadline.expire();
    const pets = documentOf('Pets');
    await expect(openSlicer().slice(pets, request, deadline)).rejects.toMatchObject({ code: 'timed_out' });
    expect(pets.countLoads()).toBe(0);
  });
});

describe('a slice that takes too long', () => {
  test('is rejected, and the next one succeeds', async () => {
    const slicer = openSlicer({ sliceLimitMs: 250 });
    // A thread can take that long to start.
    const sliceOther = () => slicer.slice(documentOf('Pets'), request, null).then(read, () => null);
    await expect.poll(sliceOther).toMatchObject({ summary: 'A pet of Pets' });
    const levels = Array.from({ length: 60 }, (_, level) => {
      const nextLevel = { $ref: `#/components/schemas/S${level + 1}` };
      return [`S${level}`, level < 59 ? { anyOf: [nextLevel, nextLevel] } : { type: 'string' }] as const;
    });
    const endlessDocument = {
      openapi: '3.0.3',
      info: { title: 'Endless', version: '1' },
      paths: {
        '/pets/{id}': {
          get: { responses: {}, requestBody: { content: { 'application/json': { schema: levels[0]?.[1] } } } },
        },
      },
      components: { schemas: Object.fromEntries(levels) },
    };
    const slowDocument = documentOf('Endless', Buffer.from(JSON.stringify(endlessDocument)));
    const slicing = slicer.slice(slowDocument, { ...request, detail: 'full', maxBytes: 262_144 }, null);
    await expect(slicing).rejects.toMatchObject({
      code: 'internal',
      cause: { message: expect.stringMatching(/more than 0.25 s/) as string },
    });
    await expect.poll(sliceOther).toMatchObject({ summary: 'A pet of Pets' });
  });
});

describe('the queue', () => {
  test('immediately rejects a request beyond its limit', async () => {
    const [slicer, pets] = [openSlicer({ waitingMax: 3 }), documentOf('Pets')];
    await slicer.slice(pets, request, null);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => slicer.slice(pets, request, null)));
    expect(outcomes.map(({ status }) => status)).toEqual([...Array<string>(4).fill('fulfilled'), 'rejected']);
    expect(outcomes[4]).toMatchObject({ reason: { code: 'internal' } });
  });
});

describe('a closed slicer', () => {
  test('rejects waiting and later requests', async () => {
    const slicer = openSlicer();
    const pending = Promise.allSettled([
      slicer.slice(documentOf('a'), request, null),
      slicer.slice(documentOf('b'), request, null),
    ]);
    await slicer.close();
    expect(await pending).toMatchObject([{ reason: { code: 'internal' } }, { reason: { code: 'internal' } }]);
    await expect(slicer.slice(documentOf('Pets'), request, null)).rejects.toMatchObject({ code: 'internal' });
  });
});
