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

test(stand('documents that wait too long say nothing about the server: queries are embedded at once'), async () => {
  const { standIn, embedder, lines, time } = await openOllama({ limits: { documentsRequestMs: 1 } });
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

test(stand('a request for documents holds what the server embeds in time, counted in tokens, not texts'), async () => {
  const { standIn, embedder, time } = await openOllama();
  await warmUp({ embedder, standIn });
  standIn.runner.tokenMs = 8;
  const texts = ['short', ...Array.from({ length: 5 }, (_, i) => words(100, `long${i}`))];
  await time.passUntil(Promise.all(texts.map((text) => embedder.embed([text], 'document'))));
  expect(sent(standIn)).toEqual(texts.map((text) => [text]));
});

test(stand('a query waits behind a second of documents, not behind all of them'), async () => {
  const { standIn, embedder, time } = await openOllama();
  await warmUp({ embedder, standIn });
  standIn.runner.tokenMs = 5;
  const order: string[] = [];
  const documents = Array.from({ length: 8 }, (_, i) =>
    embedder.embed([words(100, `text${i}`)], 'document').then(() => order.push('document')),
  );
  await time.passUntil(Promise.race(documents));
  await time.passUntil(embedder.embed(['rain'], 'query').then(() => order.push('query')));
  await time.passUntil(Promise.all(documents));
  expect(order.indexOf('query')).toBeLessThan(4);
});

test(stand('a document that takes too long is cut in half repeatedly, until it is embedded in time'), async () => {
  const { standIn, embedder, lines, time } = await openOllama({ limits: { documentsMs: 500, wordMs: 400 } });
  await embedder.check();
  standIn.runner.tokenMs = 2;
  const long = words(1_000, 'x');
  await time.passUntilSucceeds(() => embedder.embed([long], 'document'));
  const lengths = new Set(
    sent(standIn).flatMap((texts) => texts.filter((text) => text.startsWith('x')).map(({ length }) => length)),
  );
  expect([...lengths].slice(0, 4)).toEqual([1_999, 999, 499, 249].slice(0, lengths.size));
  expect(lengths.size).toBeGreaterThan(2);
  expect(lines.filter((line) => line.includes('cut to')).length).toBeGreaterThan(1);
  expect(lines.join()).not.toContain('x b');
});

test(stand('one that takes too long at any length is refused for good, but not if the server is busy'), async () => {
  const { standIn, embedder, time } = await openOllama({ limits: { documentsMs: 500, wordMs: 350 } });
  await embedder.check();
  standIn.runner.tokenMs = 20;
  const refused = {
    name: 'TextRefusedError',
    message: expect.stringMatching(/^A text of 199 UTF-16 units took/) as string,
  };
  await time.passUntilSucceeds(() => expect(embedder.embed([words(100)], 'document')).rejects.toMatchObject(refused));
  const lengths = sent(standIn).flatMap((texts) =>
    texts.filter((text) => text.startsWith('a b')).map(({ length }) => length),
  );
  expect(lengths).toEqual([199, 199, 128]);
  // A repeated request, say by an operator, starts anew.
  await expect(time.passUntil(embedder.embed([words(100)], 'document'))).rejects.toMatchObject(unavailable);

  const busy = await openOllama({ limits: { documentsMs: 300, wordMs: 100 } });
  await busy.embedder.check();
  busy.standIn.setFault({ slowMs: 400 });
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await expect(time.passUntil(busy.embedder.embed(['rain'], 'document'))).rejects.toMatchObject(unavailable);
  }
  busy.standIn.setFault(null);
  await time.passUntilSucceeds(() => busy.embedder.embed(['rain'], 'document'));
});
