import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { createManualDeadline } from '@portico/contracts';
import type { CollectionId, OperationKey, SliceRequest, StoredDocument } from '@portico/domain';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createOperationSlicer,
  type ClosableOperationSlicer,
  type OperationSlicerOptions,
} from './create-operation-slicer.ts';
import { packText } from './packed-text.ts';
import { SparseDocument } from './sparse-document.ts';

const open: ClosableOperationSlicer[] = [];
const slicer = (options?: OperationSlicerOptions) => {
  const one = createOperationSlicer(options);
  open.push(one);
  return one;
};
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

const textOf = (title: string): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      openapi: '3.0.3',
      info: { title, version: '1' },
      paths: { '/pets/{id}': { get: { operationId: 'getPet', summary: `A pet of ${title}`, responses: {} } } },
    }),
  );

interface CountedDocument extends StoredDocument {
  readonly loads: () => number;
}

const documentOf = (title: string, text = textOf(title)): CountedDocument => {
  let loads = 0;
  return {
    digest: title,
    load: async () => {
      loads++;
      return packText(text);
    },
    loads: () => loads,
  };
};

const request: SliceRequest = {
  method: 'GET',
  path: '/pets/{id}',
  form: 'slice',
  detail: 'request',
  maxBytes: 8_192,
  facts: {
    collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
    collectionName: 'Pets',
    operationKey: 'abcdefghijklmnop' as OperationKey,
    baseUrl: 'https://pets.example/v1/',
    authentication: { type: 'bearer', name: 'Authorization', in: null },
  },
};

const read = (bytes: Uint8Array): Record<string, unknown> =>
  JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;

describe('an operation', () => {
  test('is sliced out of its document in each form', async () => {
    const [one, pets] = [slicer(), documentOf('Pets')];
    expect(read(await one.slice(pets, request, null))).toMatchObject({
      url: 'https://pets.example/v1/pets/{id}',
      summary: 'A pet of Pets',
    });
    expect(read(await one.slice(pets, { ...request, form: 'tool' }, null))).toMatchObject({ name: 'getPet' });
    expect(read(await one.slice(pets, { ...request, form: 'openapi' }, null))).toMatchObject({ openapi: '3.0.3' });
    expect(pets.loads()).toBe(1);
  });
  test.each([
    ['of another path', { path: '/pets' }],
    ['of another method', { method: 'POST' }],
  ])('%s is not found', async (_, other) => {
    await expect(slicer().slice(documentOf('Pets'), { ...request, ...other }, null)).rejects.toMatchObject({
      code: 'operation_not_found',
    });
  });
});

describe('a document', () => {
  test('is loaded once for concurrent requests', async () => {
    const [one, pets] = [slicer(), documentOf('Pets')];
    await Promise.all(Array.from({ length: 20 }, () => one.slice(pets, request, null)));
    expect(pets.loads()).toBe(1);
  });
  test('is evicted first if it was used least recently', async () => {
    const names = ['a', 'b', 'c'];
    const [a, b, c] = names.map((name) => documentOf(name)) as [CountedDocument, CountedDocument, CountedDocument];
    // The document grows a little when its paths are read.
    const one = slicer({ cachedBytesMax: 2.5 * new SparseDocument(textOf('a')).bytes });
    for (const document of [a, b, a, c, a]) await one.slice(document, request, null);
    expect([a, b, c].map(({ loads }) => loads())).toEqual([1, 1, 1]);
    await one.slice(b, request, null);
    expect(b.loads()).toBe(2);
  });
  test('is cached alone if it exceeds the limit of the cache', async () => {
    const [a, b] = [documentOf('a'), documentOf('b')];
    const one = slicer({ cachedBytesMax: 1 });
    for (const document of [a, a, b, b]) await one.slice(document, request, null);
    expect([a, b].map(({ loads }) => loads())).toEqual([1, 1]);
  });
  test('that cannot be loaded fails its requests, and the next request loads it again', async () => {
    const [one, pets] = [slicer(), documentOf('Pets')];
    const broken = { digest: 'Pets', load: () => Promise.reject(new Error('the database is unavailable')) };
    await expect(one.slice(broken, request, null)).rejects.toThrow('the database is unavailable');
    expect(read(await one.slice(pets, request, null))).toMatchObject({ summary: 'A pet of Pets' });
  });
  test('with a corrupt text is an internal error', async () => {
    const damaged = documentOf('Pets', Buffer.from('{"openapi":'));
    await expect(slicer().slice(damaged, request, null)).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('a thread that dies', () => {
  test('is replaced, and the document is loaded again', async () => {
    const started = once(process, 'worker') as Promise<[Worker]>;
    const [one, pets] = [slicer(), documentOf('Pets')];
    await one.slice(pets, request, null);
    const [worker] = await started;
    await worker.terminate();
    await one.slice(pets, request, null);
    expect(pets.loads()).toBe(2);
  });
});

describe('a request whose deadline expires', () => {
  test('while its document is loaded is rejected, and others still get the document', async () => {
    const [one, deadline] = [slicer(), createManualDeadline()];
    const pets = documentOf('Pets');
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const slow: StoredDocument = { digest: 'Pets', load: () => blocked.then(() => pets.load()) };
    const expired = Promise.allSettled([one.slice(slow, request, deadline)]);
    const other = one.slice(slow, request, null);
    await expect.poll(() => deadline.expired).toBe(false);
    deadline.expire();
    expect(await expired).toMatchObject([{ reason: { code: 'timed_out' } }]);
    release();
    expect(read(await other)).toMatchObject({ summary: 'A pet of Pets' });
  });
  test('while its document waits for the thread removes the document from the queue', async () => {
    const [one, deadline] = [slicer(), createManualDeadline()];
    const pets = documentOf('Pets');
    let release = (): void => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const slow: StoredDocument = { digest: 'Pets', load: () => blocked.then(() => pets.load()) };
    const expired = Promise.allSettled([one.slice(slow, request, deadline)]);
    // The thread processes this slice after the expiring one, which is loading its document by then.
    const busy = documentOf('Others');
    await one.slice(busy, request, null);
    const next = one.slice(busy, request, null);
    release();
    // Meanwhile, the thread's results cannot arrive: its messages wait for the next tick of the event loop.
    for (let job = 0; job < 20; job++) await Promise.resolve();
    expect(pets.loads()).toBe(1);
    deadline.expire();
    expect(await expired).toMatchObject([{ reason: { code: 'timed_out' } }]);
    await next;
    expect(read(await one.slice(pets, request, null))).toMatchObject({ summary: 'A pet of Pets' });
    expect(pets.loads()).toBe(2);
  });
  test('before it starts reaches no thread', async () => {
    const deadline = createManualDeadline();
    deadline.expire();
    const pets = documentOf('Pets');
    await expect(slicer().slice(pets, request, deadline)).rejects.toMatchObject({ code: 'timed_out' });
    expect(pets.loads()).toBe(0);
  });
});

describe('a slice that takes too long', () => {
  test('is rejected, and the next one succeeds', async () => {
    const one = slicer({ sliceLimitMs: 250 });
    // A thread can take that long to start.
    const other = () => one.slice(documentOf('Pets'), request, null).then(read, () => null);
    await expect.poll(other).toMatchObject({ summary: 'A pet of Pets' });
    const levels = Array.from({ length: 60 }, (_, level) => {
      const below = { $ref: `#/components/schemas/S${level + 1}` };
      return [`S${level}`, level < 59 ? { anyOf: [below, below] } : { type: 'string' }] as const;
    });
    const endless = {
      openapi: '3.0.3',
      info: { title: 'Endless', version: '1' },
      paths: {
        '/pets/{id}': {
          get: { responses: {}, requestBody: { content: { 'application/json': { schema: levels[0]?.[1] } } } },
        },
      },
      components: { schemas: Object.fromEntries(levels) },
    };
    const slow = documentOf('Endless', Buffer.from(JSON.stringify(endless)));
    const slicing = one.slice(slow, { ...request, detail: 'full', maxBytes: 262_144 }, null);
    await expect(slicing).rejects.toMatchObject({
      code: 'internal',
      cause: { message: expect.stringMatching(/over 0.25 s/) as string },
    });
    await expect.poll(other).toMatchObject({ summary: 'A pet of Pets' });
  });
});

describe('the queue', () => {
  test('immediately rejects a request beyond its limit', async () => {
    const [one, pets] = [slicer({ waitingMax: 3 }), documentOf('Pets')];
    await one.slice(pets, request, null);
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => one.slice(pets, request, null)));
    expect(outcomes.map(({ status }) => status)).toEqual([...Array<string>(4).fill('fulfilled'), 'rejected']);
    expect(outcomes[4]).toMatchObject({ reason: { code: 'internal' } });
  });
});

describe('a closed slicer', () => {
  test('rejects waiting and later requests', async () => {
    const one = slicer();
    const waiting = Promise.allSettled([
      one.slice(documentOf('a'), request, null),
      one.slice(documentOf('b'), request, null),
    ]);
    await one.close();
    expect(await waiting).toMatchObject([{ reason: { code: 'internal' } }, { reason: { code: 'internal' } }]);
    await expect(one.slice(documentOf('Pets'), request, null)).rejects.toMatchObject({ code: 'internal' });
  });
});
