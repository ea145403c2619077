import { setTimeout } from 'node:timers/promises';
import type { OllamaStandIn } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { embedRequests, openOllama, warmUp } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';

const unavailable = { code: 'embedding_unavailable' };
const warnings = (lines: readonly string[]) => lines.filter((line) => line.startsWith('warn'));
const stand = (name: string) => `Ollama stand-in: ${name}`;

/** The texts of each request so far, without their prefixes. */
const sent = (standIn: OllamaStandIn): readonly (readonly string[])[] =>
  embedRequests(standIn).map(({ input }) => input.map((text) => text.replace(/^search_\w+: /, '')));

/** A text of that many words, each a token for the stand-in and for our own estimate. */
const words = (count: number, first = 'a') => [first, ...Array.from({ length: count - 1 }, () => 'b')].join(' ');
const settled = (calls: readonly Promise<unknown>[]) =>
  Promise.allSettled(calls).then((outcomes) => outcomes.map(({ status }) => status));

/** A description of 7,500 characters, as administrators write them. */
const description = (name: string): string =>
  Array.from({ length: 200 }, (_, quay) => `The ${name} of a harbour, hour by hour, at its quay ${quay}. `)
    .join('')
    .slice(0, 7_500);

test(stand('no search fails or waits for more than a piece while eight long documents go in'), async () => {
  const { standIn, embedder, lines, time } = await openOllama();
  await warmUp({ embedder, standIn });
  // Such a document takes 4 s: three to five were measured on two cores with nothing else to do.
  standIn.runner.tokenMs = 2.5;
  const names = Array.from({ length: 8 }, (_, i) => `tide${i}`);
  let isOver = false;
  const embedAll = async (): Promise<void> => {
    for (let name = names.shift(); name; name = names.shift()) await embedder.embed([description(name)], 'document');
  };
  // As many as a service embeds at once.
  const documents = settled([embedAll(), embedAll()]).finally(() => (isOver = true));
  const waits: number[] = [];
  while (!isOver) {
    const before = performance.now();
    await time.passUntil(embedder.embed(['high water in the morning'], 'query'));
    waits.push(performance.now() - before);
    await time.passUntil(setTimeout(500));
  }
  expect(await documents).toEqual(['fulfilled', 'fulfilled']);
  const { turns } = standIn.runner;
  expect(Math.max(...turns)).toBeLessThanOrEqual(256);
  expect(waits.length).toBeGreaterThan(20);
  // The piece, the query itself, and a step of the stopped time.
  expect(Math.max(...waits)).toBeLessThanOrEqual((256 + 9) * standIn.runner.tokenMs + 100);
  expect(warnings(lines)).toEqual([]);
});

test(stand('documents that wait too long say nothing about the server: queries are embedded at once'), async () => {
  const { standIn, embedder, lines, time } = await openOllama();
  await embedder.check();
  standIn.runner.tokenMs = 30;
  const documents = Array.from({ length: 8 }, (_, i) => embedder.embed([words(200, `text${i}`)], 'document'));
  const outcomes = await time.passUntil(settled(documents));
  expect(outcomes.filter((status) => status === 'fulfilled').length).toBeGreaterThan(0);
  expect(outcomes.filter((status) => status === 'rejected').length).toBeGreaterThan(4);
  expect((await time.passUntil(embedder.embed(['rain'], 'query'))).vectors).toHaveLength(1);
  expect((await time.passUntil(embedder.embed(['rain'], 'document'))).vectors).toHaveLength(1);
  expect(warnings(lines).join()).not.toMatch(/does not answer|repeatedly/);
});

test(stand('our own timeouts do not open the breaker while the server answers, however many there are'), async () => {
  const { standIn, embedder, time } = await openOllama({ limits: { queryMs: 500 } });
  await embedder.check();
  standIn.runner.tokenMs = 300;
  for (let attempt = 1; attempt <= 7; attempt += 1) {
    const asked = time.passUntil(embedder.embed(['rain'], 'query'));
    const failure: unknown = await asked.catch((error: unknown) => error);
    expect(failure).toMatchObject({ ...unavailable, cause: { kind: 'busy' } });
  }
  standIn.runner.tokenMs = 0;
  await time.passUntilSucceeds(() => embedder.embed(['rain'], 'query'));
});

test(stand('a server that does not respond at all gets no requests after five failed queries'), async () => {
  const { standIn, embedder, time } = await openOllama({ limits: { queryMs: 500, checkMs: 500 } });
  await embedder.check();
  await standIn.control.pause();
  await time.passUntilSucceeds(() =>
    expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject({ cause: { isBrokenCircuitError: true } }),
  );
  await standIn.control.resume();
});

test(stand('failing documents do not stop queries'), async () => {
  const { standIn, embedder } = await openOllama();
  await embedder.check();
  standIn.setFault('failure', 5);
  for (let failure = 1; failure <= 5; failure += 1) {
    await expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject({ cause: { status: 500 } });
  }
  await expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject({ cause: { isBrokenCircuitError: true } });
  expect((await embedder.embed(['rain'], 'query')).vectors).toHaveLength(1);
});

test(stand('a model that loads for longer than any caller waits is loaded once, and then embeds'), async () => {
  const { standIn, embedder, lines, time } = await openOllama();
  standIn.runner.loadMs = 20_000;
  await expect(time.passUntil(embedder.embed(['rain'], 'query'))).rejects.toMatchObject(unavailable);
  await expect(time.passUntil(embedder.embed(['rain'], 'document'))).rejects.toThrow(
    'Embedding service unavailable: the model is being loaded',
  );
  await expect(time.passUntil(embedder.check())).rejects.toThrow(
    'Embedding service unavailable: the model is being loaded',
  );
  const asked = time.passUntil(embedder.embed(['rain'], 'query'));
  const failure: unknown = await asked.catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: 'Embedding service unavailable', cause: { kind: 'loading' } });
  await time.passUntilSucceeds(() => embedder.embed(['rain'], 'query'));
  await embedder.check();
  expect(standIn.runner.loadsBegun).toBe(1);
  expect(sent(standIn)[0]).toEqual(['rain']);
  expect(lines.filter((line) => line.includes('load'))).toEqual([
    'info Ollama is loading the model nomic-embed-text',
    'info Ollama has loaded the model nomic-embed-text',
  ]);
  expect(warnings(lines)).toEqual([]);
});

test(stand('a model is loaded even if that takes longer than a query or a document may'), async () => {
  const { standIn, embedder, time } = await openOllama({ limits: { failures: 1_000 } });
  standIn.runner.loadMs = 1.5 * ollamaLimits.documentsMs;
  await time.passUntilSucceeds(() =>
    Promise.all([embedder.embed(['rain'], 'query'), embedder.embed(['sun'], 'document')]),
  );
  expect(standIn.runner.loadsBegun).toBe(1);
});

test(stand('a model that was unloaded while idle is loaded apart from the next query'), async () => {
  const { standIn, embedder, time } = await openOllama();
  await embedder.embed(['rain'], 'query');
  standIn.runner.unload();
  standIn.runner.loadMs = 5_000;
  await time.pass(ollamaLimits.loadKnownMs);
  const asked = time.passUntil(embedder.embed(['rain'], 'query'));
  await expect(asked).rejects.toMatchObject({ cause: { kind: 'loading' } });
  await time.passUntilSucceeds(() => embedder.embed(['rain'], 'query'));
  expect(standIn.runner.loadsBegun).toBe(2);
});

test(stand('a search that finds the model unloaded, and is given up, does not end the load'), async () => {
  const { standIn, embedder, time } = await openOllama();
  await warmUp({ embedder, standIn });
  standIn.runner.unload();
  standIn.runner.loadMs = 12_000;
  const before = performance.now();
  const search = () => time.passUntil(embedder.embed(['rain'], 'query'));
  await expect(search()).rejects.toMatchObject({ cause: { kind: 'busy' }, retryAfterSeconds: 2 });
  expect(performance.now() - before).toBeLessThan(ollamaLimits.queryMs + 200);
  await time.pass(100);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const asked = performance.now();
    await expect(search()).rejects.toMatchObject({ cause: { kind: 'loading' }, retryAfterSeconds: 10 });
    expect(performance.now() - asked).toBeLessThan(100);
  }
  await time.passUntilSucceeds(() => search());
  expect(performance.now() - before).toBeLessThan(12_500);
  expect(standIn.runner.loadsBegun).toBe(2);
});

test(stand('nor does a document, or the end of a check'), async () => {
  const { standIn, embedder, time } = await openOllama();
  await warmUp({ embedder, standIn });
  standIn.runner.unload();
  standIn.runner.loadMs = 20_000;
  const before = performance.now();
  await expect(time.passUntil(embedder.embed(['rain'], 'document'))).rejects.toThrow('no vector came within 14000 ms');
  await expect(time.passUntil(embedder.check())).rejects.toMatchObject(unavailable);
  await time.passUntilSucceeds(() => embedder.embed(['rain'], 'document'));
  expect(performance.now() - before).toBeLessThan(20_500);
  expect(standIn.runner.loadsBegun).toBe(2);
});

test(stand('a request that is given up while the server is busy is ended'), async () => {
  const { standIn, embedder, time } = await openOllama();
  await warmUp({ embedder, standIn });
  standIn.setFault('hang', 1);
  await expect(time.passUntil(embedder.embed(['rain'], 'query'))).rejects.toMatchObject({ cause: { kind: 'busy' } });
  await time.stillUntil(() => expect(standIn.underWay).toBe(0));
  expect((await time.passUntil(embedder.embed(['rain'], 'query'))).vectors).toHaveLength(1);
});

test(stand('a load whose request is lost is requested again, and abandoned if the server stops'), async () => {
  const { standIn, embedder, time } = await openOllama();
  standIn.setFault('hang', 1);
  await time.passUntilSucceeds(() => embedder.embed(['rain'], 'query'));
  const stopped = await openOllama();
  stopped.standIn.setFault('hang');
  const asked = time.passUntil(stopped.embedder.embed(['rain'], 'query'));
  await expect(asked).rejects.toMatchObject({ cause: { kind: 'loading' } });
  await stopped.standIn.control.stop();
  expect(warnings(stopped.lines)).toHaveLength(0);
  stopped.standIn.setFault(null);
  await stopped.standIn.control.start();
  await time.passUntilSucceeds(() => stopped.embedder.embed(['rain'], 'query'));
});

test(stand('at most 512 tokens of a long query are embedded'), async () => {
  const { standIn, embedder } = await openOllama();
  await embedder.embed(['日'.repeat(2_000)], 'query');
  await embedder.embed([words(512)], 'query');
  await embedder.embed([`${words(512)} c`], 'query');
  expect(sent(standIn)).toEqual([['日'.repeat(512)], [words(512)], [words(512)]]);
});

test(stand('long queries wait for one another, but short ones do not wait for all of them'), async () => {
  const { standIn, embedder, time } = await openOllama();
  await embedder.check();
  standIn.runner.tokenMs = 1;
  const order: string[] = [];
  const ask = (kind: string, text: string) => embedder.embed([text], 'query').then(() => order.push(kind));
  const long = Array.from({ length: 5 }, (_, i) => ask('long', words(300, `long${i}`)));
  const short = Array.from({ length: 12 }, (_, i) => ask('short', `short ${i}`));
  await time.passUntil(Promise.all([...long, ...short]));
  const second = order.indexOf('long', order.indexOf('long') + 1);
  expect(order.slice(0, second).filter((kind) => kind === 'short').length).toBeGreaterThanOrEqual(4);
  expect(order.lastIndexOf('short')).toBeLessThan(order.lastIndexOf('long') - 1);
});

test(stand('one long query runs, four wait, and the next one fails at once'), async () => {
  const { standIn, embedder, time } = await openOllama();
  await embedder.check();
  standIn.setFault({ slowMs: 50 });
  const ask = (count: number, textOf: (i: number) => string) =>
    time.passUntil(settled(Array.from({ length: count }, (_, i) => embedder.embed([textOf(i)], 'query'))));
  expect(await ask(7, (i) => words(65, `l${i}`))).toEqual([
    ...new Array<string>(5).fill('fulfilled'),
    'rejected',
    'rejected',
  ]);
  expect(await ask(7, () => words(64))).toEqual(new Array<string>(7).fill('fulfilled'));
});
