import { nomicStandIn, type OllamaStandIn } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { embedRequests, openOllama } from '../test/open-ollama.ts';
import { GatheredDocuments } from './gathered-documents.ts';

const inputs = (standIn: OllamaStandIn) => embedRequests(standIn).map(({ input }) => input);

const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`);

test('Ollama stand-in: documents requested one by one during a request go into the next one', async () => {
  const { embedder, standIn } = await openOllama();
  const texts = words(40);
  const embedded = await Promise.all(texts.map((text) => embedder.embed([text], 'document')));
  expect(inputs(standIn).map(({ length }) => length)).toEqual([1, 16, 16, 7]);
  expect(inputs(standIn).flat()).toEqual(texts.map((text) => `search_document: ${text}`));
  const { vectors } = await embedder.embed(texts, 'document');
  expect(embedded.map((one) => one.vectors)).toEqual(vectors.map((vector) => [vector]));
});

test('Ollama stand-in: a request holds whole calls, and a call that is too large for one goes alone', async () => {
  const { embedder, standIn } = await openOllama();
  const calls = [words(1), words(10), words(6), words(1), words(20), words(1)];
  const embedded = await Promise.all(calls.map((texts) => embedder.embed(texts, 'document')));
  expect(inputs(standIn).map(({ length }) => length)).toEqual([1, 16, 1, 16, 4, 1]);
  expect(embedded.map(({ vectors }) => vectors.length)).toEqual([1, 10, 6, 1, 20, 1]);
});

test('Ollama stand-in: if texts take long a request holds few, so that a query does not wait for many', async () => {
  const { embedder, standIn, time } = await openOllama({ limits: { documentsRequestMs: 50 } });
  standIn.setFault({ slowMs: 60 });
  await time.passUntil(Promise.all(words(4).map((text) => embedder.embed([text], 'document'))));
  expect(inputs(standIn).map(({ length }) => length)).toEqual([1, 1, 1, 1]);
});

test('Ollama stand-in: a refused text fails no other text of its batch', async () => {
  const { embedder } = await openOllama({}, { models: [{ ...nomicStandIn, contextLength: 8 }] });
  const texts = ['rain', 'snow', '- '.repeat(9_000), 'sun'];
  const outcomes = await Promise.allSettled(texts.map((text) => embedder.embed([text], 'document')));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[2]).toMatchObject({ reason: { name: 'TextRefusedError', cause: { kind: 'text' } } });
});

test('Ollama stand-in: the texts of a request that gets a failure response are retried, each alone', async () => {
  const { embedder, standIn } = await openOllama();
  await embedder.embed(['rain'], 'document');
  const first = embedder.embed(['wind'], 'document');
  const gathered = words(3).map((text) => embedder.embed([text], 'document'));
  await first;
  standIn.setFault('zero', 1);
  expect(await Promise.all(gathered)).toHaveLength(3);
  expect(inputs(standIn).map(({ length }) => length)).toEqual([1, 1, 3, 1, 1, 1]);
});

test('Ollama stand-in: a request without a response fails all its texts, and is not retried', async () => {
  const { embedder, standIn } = await openOllama();
  await embedder.embed(['rain'], 'document');
  const first = embedder.embed(['wind'], 'document');
  const gathered = words(3).map((text) => embedder.embed([text], 'document'));
  await first;
  standIn.setFault('resetMidway', 1);
  const outcomes = await Promise.allSettled(gathered);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await embedder.embed(['sun'], 'document');
  expect(inputs(standIn).map(({ length }) => length)).toEqual([1, 1, 3, 1]);
});

test('a call that is aborted before its turn is not sent', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
  const sent: string[] = [];
  const send = async (texts: readonly string[]) => {
    sent.push(...texts);
    await held;
    return { modelId: 'm1', vectors: texts.map(() => new Float32Array(768)) };
  };
  const documents = new GatheredDocuments({ send, requestMs: 60_000, callMs: 60_000, waiting: 9, behindMs: 0 });
  const [staying, leaving] = [new AbortController(), new AbortController()];
  const first = documents.embed(['rain'], staying.signal);
  void documents.embed(['snow'], leaving.signal);
  const last = documents.embed(['sun'], staying.signal);
  leaving.abort();
  release(undefined);
  await Promise.all([first, last]);
  expect(sent).toEqual(['rain', 'sun']);
});

test('Ollama stand-in: sixty-four calls for documents wait, and the next one fails at once', async () => {
  const { embedder } = await openOllama();
  const outcomes = await Promise.allSettled(words(66).map((text) => embedder.embed([text], 'document')));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(65);
  expect(outcomes.at(-1)).toMatchObject({ reason: { cause: { kind: 'busy' } } });
});

test('Ollama stand-in: texts that wait behind others are sent after those that come meanwhile', async () => {
  const { embedder, standIn } = await openOllama();
  await embedder.embed(['rain'], 'document');
  const first = embedder.embed(['wind'], 'document');
  const behind = words(3).map((text) => embedder.behind.embed([text], 'document'));
  const others = ['snow', 'sun'].map((text) => embedder.embed([text], 'document'));
  await Promise.all([first, ...behind, ...others]);
  expect(inputs(standIn).map((texts) => texts.map((text) => text.replace('search_document: ', '')))).toEqual([
    ['rain'],
    ['wind'],
    ['snow', 'sun'],
    words(3),
  ]);
  const { vectors } = await embedder.embed(['word0'], 'document');
  expect((await behind[0])?.vectors).toEqual(vectors);
});

test('Ollama stand-in: texts that have waited behind others for long enough are sent in order of arrival', async () => {
  const { embedder, standIn } = await openOllama({ limits: { behindMs: 0 } });
  await embedder.embed(['rain'], 'document');
  const first = embedder.embed(['wind'], 'document');
  const behind = embedder.behind.embed(['hail'], 'document');
  const others = ['snow', 'sun'].map((text) => embedder.embed([text], 'document'));
  await Promise.all([first, behind, ...others]);
  expect(inputs(standIn).at(-1)).toEqual(['hail', 'snow', 'sun'].map((text) => `search_document: ${text}`));
});
