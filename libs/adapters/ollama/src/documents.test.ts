import { fakeNomic, type FakeOllama } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { listEmbedRequests, openOllama, warmUp } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';

/** Returns the texts of all requests so far, without their prefixes. */
const listSentTexts = (fake: FakeOllama): readonly string[] =>
  listEmbedRequests(fake).flatMap(({ input }) => input.map((text) => text.replace(/^search_\w+: /, '')));

/** Returns a piece of a document for each word. */
const piecesOf = (...words: readonly string[]) => words.map((word) => `${`${word} `.repeat(200)}\n`);

test('fake Ollama: the pieces of simultaneous documents are sent alternately, one by one', async () => {
  const { fake, embedder } = await openOllama();
  await warmUp({ embedder, fake });
  const [a, b] = [piecesOf('a', 'b', 'c'), piecesOf('x', 'y')];
  const results = await Promise.all([a, b].map((pieces) => embedder.embed([pieces.join('')], 'document')));
  expect(listSentTexts(fake).map((text) => text[0])).toEqual(['a', 'x', 'b', 'y', 'c']);
  expect(fake.maxConcurrent).toBe(1);
  expect((await embedder.embed([a.join('')], 'document')).vectors).toEqual(results[0]?.vectors);
});

test('fake Ollama: embedding a document that timed out resumes where it stopped', async () => {
  const { fake, embedder, lines, time } = await openOllama();
  await warmUp({ embedder, fake });
  const pieces = piecesOf('a', 'b', 'c', 'd');
  // A piece with its prefix takes 5.6 s.
  fake.runner.tokenMs = 27.5;
  const embed = () => time.advanceUntil(embedder.embed([pieces.join('')], 'document'));
  await expect(embed()).rejects.toThrow('the server is busy: no vector was returned within 14000 ms');
  const { vectors } = await embed();
  expect(listSentTexts(fake).map((text) => text[0])).toEqual(['a', 'b', 'c', 'd']);
  expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(1);
  fake.runner.tokenMs = 0;
  expect((await embed()).vectors).toEqual(vectors);
  expect(listSentTexts(fake)).toHaveLength(8);
});

test('fake Ollama: all pieces of a document are embedded by the same model, which is the latest', async () => {
  const { fake, embedder } = await openOllama();
  await warmUp({ embedder, fake });
  const text = piecesOf('a', 'b', 'c').join('');
  fake.runAfterNextEmbed(() => {
    fake.runAfterNextEmbed(() => fake.install({ ...fakeNomic, digest: 'b'.repeat(64) }));
  });
  const result = await embedder.embed([text], 'document');
  expect(listSentTexts(fake).map((piece) => piece[0])).toEqual(['a', 'b', 'b', 'c', 'a']);
  expect(await embedder.embed([text], 'document')).toEqual(result);
});

test('fake Ollama: a late vector of a slow server is still cached', async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.runner.tokenMs = 200;
  const text = 'a '.repeat(100);
  await expect(time.advanceUntil(embedder.embed([text], 'document'))).rejects.toThrow('the server is busy');
  await time.advanceUntilSuccess(() => embedder.embed([text], 'document'));
  expect(listSentTexts(fake)).toEqual([text]);
});

test('fake Ollama: a lost request for a piece blocks documents for a minute', async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.setFault('hang', 1);
  await expect(time.advanceUntil(embedder.embed(['rain'], 'document'))).rejects.toThrow('the server is busy');
  await expect(time.advanceUntil(embedder.embed(['snow'], 'document'))).rejects.toThrow('the server is busy');
  expect((await time.advanceUntil(embedder.embed(['rain'], 'query'))).vectors).toHaveLength(1);
  await time.advance(ollamaLimits.pieceMs);
  expect((await time.advanceUntil(embedder.embed(['rain'], 'document'))).vectors).toHaveLength(1);
});

test('fake Ollama: a waiting document is not sent if its call times out', async () => {
  const { fake, embedder, time } = await openOllama({ limits: { documentsMs: 1_000 } });
  await warmUp({ embedder, fake });
  fake.runner.tokenMs = 100;
  const outcomes = await time.advanceUntil(
    Promise.allSettled(['a '.repeat(30), 'snow'].map((text) => embedder.embed([text], 'document'))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await time.advance(10_000);
  expect(listSentTexts(fake)).toEqual(['a '.repeat(30)]);
});

test('fake Ollama: at most sixty-four document texts wait, and the next one fails immediately', async () => {
  const { embedder } = await openOllama();
  const texts = Array.from({ length: 66 }, (_, index) => `word${index}`);
  const outcomes = await Promise.allSettled(texts.map((text) => embedder.embed([text], 'document')));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(65);
  expect(outcomes.at(-1)).toMatchObject({ reason: { cause: { kind: 'busy' } } });
});

test('fake Ollama: low-priority texts are sent after texts that arrive in the meantime', async () => {
  const { fake, embedder } = await openOllama();
  await warmUp({ embedder, fake });
  const firstDocument = embedder.embed(['wind'], 'document');
  const lowPriorityDocuments = ['hail', 'fog'].map((text) => embedder.lowPriority.embed([text], 'document'));
  const laterDocuments = ['snow', 'sun'].map((text) => embedder.embed([text], 'document'));
  await Promise.all([firstDocument, ...lowPriorityDocuments, ...laterDocuments]);
  expect(listSentTexts(fake)).toEqual(['wind', 'snow', 'sun', 'hail', 'fog']);
  const { vectors } = await embedder.embed(['hail'], 'document');
  expect((await lowPriorityDocuments[0])?.vectors).toEqual(vectors);
});

test('fake Ollama: low-priority texts that have waited long enough are sent in order of arrival', async () => {
  const { fake, embedder } = await openOllama({ limits: { lowPriorityWaitMs: 0, pieceWaitMs: 0 } });
  await warmUp({ embedder, fake });
  const firstDocument = embedder.embed(['wind'], 'document');
  const lowPriorityDocument = embedder.lowPriority.embed(['hail'], 'document');
  const laterDocuments = ['snow', 'sun'].map((text) => embedder.embed([text], 'document'));
  await Promise.all([firstDocument, lowPriorityDocument, ...laterDocuments]);
  expect(listSentTexts(fake)).toEqual(['wind', 'hail', 'snow', 'sun']);
});

test('fake Ollama: pieces wait for all queries, but for at most a second', async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.runner.tokenMs = 20;
  const queries = Array.from({ length: 20 }, (_, i) => embedder.embed([`query ${i}`], 'query'));
  const document = embedder.embed(['rain'], 'document');
  await time.advanceUntil(Promise.all([...queries, document]));
  const position = listSentTexts(fake).indexOf('rain');
  // Each query takes 140 ms, and four run concurrently: these are the queries sent within a second, but not all 20.
  expect(position).toBeGreaterThanOrEqual(11);
  expect(position).toBeLessThan(16);
});
