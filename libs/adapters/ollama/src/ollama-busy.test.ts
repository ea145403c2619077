import { setTimeout } from 'node:timers/promises';
import type { FakeOllama } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { listEmbedRequests, openOllama, warmUp } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';

const unavailableError = { code: 'embedding_unavailable' };
const listWarnings = (lines: readonly string[]) => lines.filter((line) => line.startsWith('warn'));
const onFake = (name: string) => `fake Ollama: ${name}`;

/** Returns the texts of each request so far, without their prefixes. */
const listSentTexts = (fake: FakeOllama): readonly (readonly string[])[] =>
  listEmbedRequests(fake).map(({ input }) => input.map((text) => text.replace(/^search_\w+: /, '')));

/** Returns a text of this many words, each of which counts as one token for the fake and in our estimate. */
const words = (count: number, firstWord = 'a') =>
  [firstWord, ...Array.from({ length: count - 1 }, () => 'b')].join(' ');
const statusesOf = (calls: readonly Promise<unknown>[]) =>
  Promise.allSettled(calls).then((outcomes) => outcomes.map(({ status }) => status));

/** Returns a description of 7,500 characters, like the descriptions that administrators write. */
const description = (name: string): string =>
  Array.from({ length: 200 }, (_, quay) => `The ${name} of a harbour, hour by hour, at its quay ${quay}. `)
    .join('')
    .slice(0, 7_500);

test(onFake('no search fails or waits for more than one piece while eight long documents are embedded'), async () => {
  const { fake, embedder, lines, time } = await openOllama();
  await warmUp({ embedder, fake });
  // Embedding such a document takes 4 s. The measured time was 3 to 5 s on two idle cores.
  fake.runner.tokenMs = 2.5;
  const names = Array.from({ length: 8 }, (_, i) => `tide${i}`);
  let isDone = false;
  const embedAll = async (): Promise<void> => {
    for (let name = names.shift(); name; name = names.shift()) await embedder.embed([description(name)], 'document');
  };
  // This is the number of documents that a service embeds concurrently.
  const documents = statusesOf([embedAll(), embedAll()]).finally(() => (isDone = true));
  const waits: number[] = [];
  while (!isDone) {
    const startedAt = performance.now();
    await time.advanceUntil(embedder.embed(['high water in the morning'], 'query'));
    waits.push(performance.now() - startedAt);
    await time.advanceUntil(setTimeout(500));
  }
  expect(await documents).toEqual(['fulfilled', 'fulfilled']);
  const { processedTokens } = fake.runner;
  expect(Math.max(...processedTokens)).toBeLessThanOrEqual(256);
  expect(waits.length).toBeGreaterThan(20);
  // A query waits for the piece, the query itself, and one step of the stopped time.
  expect(Math.max(...waits)).toBeLessThanOrEqual((256 + 9) * fake.runner.tokenMs + 100);
  expect(listWarnings(lines)).toEqual([]);
});

test(
  onFake('waiting documents that time out do not count against the server: queries are still embedded'),
  async () => {
    const { fake, embedder, lines, time } = await openOllama();
    await embedder.check();
    fake.runner.tokenMs = 30;
    const documents = Array.from({ length: 8 }, (_, i) => embedder.embed([words(200, `text${i}`)], 'document'));
    const outcomes = await time.advanceUntil(statusesOf(documents));
    expect(outcomes.filter((status) => status === 'fulfilled').length).toBeGreaterThan(0);
    expect(outcomes.filter((status) => status === 'rejected').length).toBeGreaterThan(4);
    expect((await time.advanceUntil(embedder.embed(['rain'], 'query'))).vectors).toHaveLength(1);
    expect((await time.advanceUntil(embedder.embed(['rain'], 'document'))).vectors).toHaveLength(1);
    expect(listWarnings(lines).join()).not.toMatch(/does not respond|repeatedly/);
  },
);

test(onFake('our own timeouts never open the breaker while the server responds'), async () => {
  const { fake, embedder, time } = await openOllama({ limits: { queryMs: 500 } });
  await embedder.check();
  fake.runner.tokenMs = 300;
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    const query = time.advanceUntil(embedder.embed(['rain'], 'query'));
    const failure: unknown = await query.catch((error: unknown) => error);
    expect(failure).toMatchObject({ ...unavailableError, cause: { kind: 'busy' } });
  }
  fake.runner.tokenMs = 0;
  await time.advanceUntilSuccess(() => embedder.embed(['rain'], 'query'));
});

test(onFake('a server that does not respond at all gets no requests after five failed queries'), async () => {
  const { fake, embedder, time } = await openOllama({ limits: { queryMs: 500, checkMs: 500 } });
  await embedder.check();
  await fake.control.pause();
  await time.advanceUntilSuccess(() =>
    expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject({ cause: { isBrokenCircuitError: true } }),
  );
  await fake.control.resume();
});

test(onFake('failing documents do not stop queries'), async () => {
  const { fake, embedder } = await openOllama();
  await embedder.check();
  fake.setFault('failure', 5);
  for (let failure = 1; failure <= 5; failure += 1) {
    await expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject({ cause: { status: 500 } });
  }
  await expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject({ cause: { isBrokenCircuitError: true } });
  expect((await embedder.embed(['rain'], 'query')).vectors).toHaveLength(1);
});

test(
  onFake('a model that takes longer to load than any caller waits is loaded only once, and then embeds texts'),
  async () => {
    const { fake, embedder, lines, time } = await openOllama();
    fake.runner.loadMs = 20_000;
    await expect(time.advanceUntil(embedder.embed(['rain'], 'query'))).rejects.toMatchObject(unavailableError);
    await expect(time.advanceUntil(embedder.embed(['rain'], 'document'))).rejects.toThrow(
      'Embedding service unavailable: the model is being loaded',
    );
    await expect(time.advanceUntil(embedder.check())).rejects.toThrow(
      'Embedding service unavailable: the model is being loaded',
    );
    const query = time.advanceUntil(embedder.embed(['rain'], 'query'));
    const failure: unknown = await query.catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'Embedding service unavailable', cause: { kind: 'loading' } });
    await time.advanceUntilSuccess(() => embedder.embed(['rain'], 'query'));
    await embedder.check();
    expect(fake.runner.loadCount).toBe(1);
    expect(listSentTexts(fake)[0]).toEqual(['rain']);
    expect(lines.filter((line) => line.includes('load'))).toEqual([
      'info Ollama is loading the model nomic-embed-text',
      'info Ollama has loaded the model nomic-embed-text',
    ]);
    expect(listWarnings(lines)).toEqual([]);
  },
);

test(onFake('a model is loaded even if loading takes longer than the timeouts of queries and documents'), async () => {
  const { fake, embedder, time } = await openOllama({ limits: { failuresMax: 1_000 } });
  fake.runner.loadMs = 1.5 * ollamaLimits.documentsMs;
  await time.advanceUntilSuccess(() =>
    Promise.all([embedder.embed(['rain'], 'query'), embedder.embed(['sun'], 'document')]),
  );
  expect(fake.runner.loadCount).toBe(1);
});

test(onFake('a model that was unloaded while idle is loaded by a separate request before the next query'), async () => {
  const { fake, embedder, time } = await openOllama();
  await embedder.embed(['rain'], 'query');
  fake.runner.unload();
  fake.runner.loadMs = 5_000;
  await time.advance(ollamaLimits.assumeLoadedMs);
  const query = time.advanceUntil(embedder.embed(['rain'], 'query'));
  await expect(query).rejects.toMatchObject({ cause: { kind: 'loading' } });
  await time.advanceUntilSuccess(() => embedder.embed(['rain'], 'query'));
  expect(fake.runner.loadCount).toBe(2);
});

test(onFake('a search that times out because the model is unloaded does not abort the load'), async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.runner.unload();
  fake.runner.loadMs = 12_000;
  const firstSearchedAt = performance.now();
  const search = () => time.advanceUntil(embedder.embed(['rain'], 'query'));
  await expect(search()).rejects.toMatchObject({ cause: { kind: 'busy' }, retryAfterSeconds: 2 });
  expect(performance.now() - firstSearchedAt).toBeLessThan(ollamaLimits.queryMs + 200);
  await time.advance(100);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const startedAt = performance.now();
    await expect(search()).rejects.toMatchObject({ cause: { kind: 'loading' }, retryAfterSeconds: 10 });
    expect(performance.now() - startedAt).toBeLessThan(100);
  }
  await time.advanceUntilSuccess(() => search());
  expect(performance.now() - firstSearchedAt).toBeLessThan(12_500);
  expect(fake.runner.loadCount).toBe(2);
});

test(onFake('a document or a check that times out does not abort the load either'), async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.runner.unload();
  fake.runner.loadMs = 20_000;
  const startedAt = performance.now();
  await expect(time.advanceUntil(embedder.embed(['rain'], 'document'))).rejects.toThrow(
    'no vector was returned within 14000 ms',
  );
  await expect(time.advanceUntil(embedder.check())).rejects.toMatchObject(unavailableError);
  await time.advanceUntilSuccess(() => embedder.embed(['rain'], 'document'));
  expect(performance.now() - startedAt).toBeLessThan(20_500);
  expect(fake.runner.loadCount).toBe(2);
});

test(onFake('a request that times out while the server is busy is aborted'), async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.setFault('hang', 1);
  await expect(time.advanceUntil(embedder.embed(['rain'], 'query'))).rejects.toMatchObject({ cause: { kind: 'busy' } });
  await time.pollInRealTime(() => expect(fake.inFlight).toBe(0));
  expect((await time.advanceUntil(embedder.embed(['rain'], 'query'))).vectors).toHaveLength(1);
});

test(onFake('loading is requested again if a request is lost, and is abandoned if the server stops'), async () => {
  const { fake, embedder, time } = await openOllama();
  fake.setFault('hang', 1);
  await time.advanceUntilSuccess(() => embedder.embed(['rain'], 'query'));
  const otherOllama = await openOllama();
  otherOllama.fake.setFault('hang');
  const query = time.advanceUntil(otherOllama.embedder.embed(['rain'], 'query'));
  await expect(query).rejects.toMatchObject({ cause: { kind: 'loading' } });
  await otherOllama.fake.control.stop();
  expect(listWarnings(otherOllama.lines)).toHaveLength(0);
  otherOllama.fake.setFault(null);
  await otherOllama.fake.control.start();
  await time.advanceUntilSuccess(() => otherOllama.embedder.embed(['rain'], 'query'));
});

test(onFake('at most 512 tokens of a long query are embedded'), async () => {
  const { fake, embedder } = await openOllama();
  await embedder.embed(['日'.repeat(2_000)], 'query');
  await embedder.embed([words(512)], 'query');
  await embedder.embed([`${words(512)} c`], 'query');
  expect(listSentTexts(fake)).toEqual([['日'.repeat(512)], [words(512)], [words(512)]]);
});

test(onFake('long queries wait for each other, but short queries do not wait for all of them'), async () => {
  const { fake, embedder, time } = await openOllama();
  await embedder.check();
  fake.runner.tokenMs = 1;
  const order: string[] = [];
  const embedAs = (kind: string, text: string) => embedder.embed([text], 'query').then(() => order.push(kind));
  const longQueries = Array.from({ length: 5 }, (_, i) => embedAs('long', words(300, `long${i}`)));
  const shortQueries = Array.from({ length: 12 }, (_, i) => embedAs('short', `short ${i}`));
  await time.advanceUntil(Promise.all([...longQueries, ...shortQueries]));
  const secondLongIndex = order.indexOf('long', order.indexOf('long') + 1);
  expect(order.slice(0, secondLongIndex).filter((kind) => kind === 'short').length).toBeGreaterThanOrEqual(4);
  expect(order.lastIndexOf('short')).toBeLessThan(order.lastIndexOf('long') - 1);
});

test(onFake('one long query runs, four wait, and the next one fails immediately'), async () => {
  const { fake, embedder, time } = await openOllama();
  await embedder.check();
  fake.setFault({ delayMs: 50 });
  const embedAll = (count: number, textOf: (i: number) => string) =>
    time.advanceUntil(statusesOf(Array.from({ length: count }, (_, i) => embedder.embed([textOf(i)], 'query'))));
  expect(await embedAll(7, (i) => words(65, `l${i}`))).toEqual([
    ...new Array<string>(5).fill('fulfilled'),
    'rejected',
    'rejected',
  ]);
  expect(await embedAll(7, () => words(64))).toEqual(new Array<string>(7).fill('fulfilled'));
});
