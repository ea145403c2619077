import { nomicStandIn, type OllamaStandIn } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { embedRequests, openOllama, warmUp } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';

/** The texts of all requests so far, without their prefixes. */
const sent = (standIn: OllamaStandIn): readonly string[] =>
  embedRequests(standIn).flatMap(({ input }) => input.map((text) => text.replace(/^search_\w+: /, '')));

/** A document of as many pieces. */
const piecesOf = (...words: readonly string[]) => words.map((word) => `${`${word} `.repeat(200)}\n`);

test('Ollama stand-in: pieces of documents that come at once are sent in turn, one by one', async () => {
  const { standIn, embedder } = await openOllama();
  await warmUp({ embedder, standIn });
  const [a, b] = [piecesOf('a', 'b', 'c'), piecesOf('x', 'y')];
  const embedded = await Promise.all([a, b].map((pieces) => embedder.embed([pieces.join('')], 'document')));
  expect(sent(standIn).map((text) => text[0])).toEqual(['a', 'x', 'b', 'y', 'c']);
  expect(standIn.mostAtOnce).toBe(1);
  expect((await embedder.embed([a.join('')], 'document')).vectors).toEqual(embedded[0]?.vectors);
});

test('Ollama stand-in: a document that is not embedded in time goes on where it was', async () => {
  const { standIn, embedder, lines, time } = await openOllama();
  await warmUp({ embedder, standIn });
  const pieces = piecesOf('a', 'b', 'c', 'd');
  // 5.6 s a piece with its prefix.
  standIn.runner.tokenMs = 27.5;
  const embed = () => time.passUntil(embedder.embed([pieces.join('')], 'document'));
  await expect(embed()).rejects.toThrow('the server is busy: no vector came within 14000 ms');
  const { vectors } = await embed();
  expect(sent(standIn).map((text) => text[0])).toEqual(['a', 'b', 'c', 'd']);
  expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(1);
  standIn.runner.tokenMs = 0;
  expect((await embed()).vectors).toEqual(vectors);
  expect(sent(standIn)).toHaveLength(8);
});

test('Ollama stand-in: all pieces of a document are by the same model, the last one', async () => {
  const { standIn, embedder } = await openOllama();
  await warmUp({ embedder, standIn });
  const text = piecesOf('a', 'b', 'c').join('');
  standIn.afterNextEmbed(() => {
    standIn.afterNextEmbed(() => standIn.install({ ...nomicStandIn, digest: 'b'.repeat(64) }));
  });
  const during = await embedder.embed([text], 'document');
  expect(sent(standIn).map((piece) => piece[0])).toEqual(['a', 'b', 'b', 'c', 'a']);
  expect(await embedder.embed([text], 'document')).toEqual(during);
});

test('Ollama stand-in: a piece that is answered late by a slow server is kept all the same', async () => {
  const { standIn, embedder, time } = await openOllama();
  await warmUp({ embedder, standIn });
  standIn.runner.tokenMs = 200;
  const text = 'a '.repeat(100);
  await expect(time.passUntil(embedder.embed([text], 'document'))).rejects.toThrow('the server is busy');
  await time.passUntilSucceeds(() => embedder.embed([text], 'document'));
  expect(sent(standIn)).toEqual([text]);
});

test('Ollama stand-in: a request for a piece that is lost holds up documents for a minute', async () => {
  const { standIn, embedder, time } = await openOllama();
  await warmUp({ embedder, standIn });
  standIn.setFault('hang', 1);
  await expect(time.passUntil(embedder.embed(['rain'], 'document'))).rejects.toThrow('the server is busy');
  await expect(time.passUntil(embedder.embed(['snow'], 'document'))).rejects.toThrow('the server is busy');
  expect((await time.passUntil(embedder.embed(['rain'], 'query'))).vectors).toHaveLength(1);
  await time.pass(ollamaLimits.pieceMs);
  expect((await time.passUntil(embedder.embed(['rain'], 'document'))).vectors).toHaveLength(1);
});

test('Ollama stand-in: a document whose call is over before its turn is not sent', async () => {
  const { standIn, embedder, time } = await openOllama({ limits: { documentsMs: 1_000 } });
  await warmUp({ embedder, standIn });
  standIn.runner.tokenMs = 100;
  const outcomes = await time.passUntil(
    Promise.allSettled(['a '.repeat(30), 'snow'].map((text) => embedder.embed([text], 'document'))),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await time.pass(10_000);
  expect(sent(standIn)).toEqual(['a '.repeat(30)]);
});

test('Ollama stand-in: sixty-four texts of documents wait, and the next one fails at once', async () => {
  const { embedder } = await openOllama();
  const texts = Array.from({ length: 66 }, (_, index) => `word${index}`);
  const outcomes = await Promise.allSettled(texts.map((text) => embedder.embed([text], 'document')));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(65);
  expect(outcomes.at(-1)).toMatchObject({ reason: { cause: { kind: 'busy' } } });
});

test('Ollama stand-in: texts that wait behind others are sent after those that come meanwhile', async () => {
  const { standIn, embedder } = await openOllama();
  await warmUp({ embedder, standIn });
  const first = embedder.embed(['wind'], 'document');
  const behind = ['hail', 'fog'].map((text) => embedder.behind.embed([text], 'document'));
  const others = ['snow', 'sun'].map((text) => embedder.embed([text], 'document'));
  await Promise.all([first, ...behind, ...others]);
  expect(sent(standIn)).toEqual(['wind', 'snow', 'sun', 'hail', 'fog']);
  const { vectors } = await embedder.embed(['hail'], 'document');
  expect((await behind[0])?.vectors).toEqual(vectors);
});

test('Ollama stand-in: texts that have waited behind others for long enough are sent in order of arrival', async () => {
  const { standIn, embedder } = await openOllama({ limits: { behindMs: 0, pieceWaitMs: 0 } });
  await warmUp({ embedder, standIn });
  const first = embedder.embed(['wind'], 'document');
  const behind = embedder.behind.embed(['hail'], 'document');
  const others = ['snow', 'sun'].map((text) => embedder.embed([text], 'document'));
  await Promise.all([first, behind, ...others]);
  expect(sent(standIn)).toEqual(['wind', 'hail', 'snow', 'sun']);
});

test('Ollama stand-in: pieces wait for all queries, but not for longer than a second', async () => {
  const { standIn, embedder, time } = await openOllama();
  await warmUp({ embedder, standIn });
  standIn.runner.tokenMs = 20;
  const queries = Array.from({ length: 20 }, (_, i) => embedder.embed([`query ${i}`], 'query'));
  const document = embedder.embed(['rain'], 'document');
  await time.passUntil(Promise.all([...queries, document]));
  const at = sent(standIn).indexOf('rain');
  // 140 ms each, four at once: the queries that are sent within a second, and not all 20.
  expect(at).toBeGreaterThanOrEqual(11);
  expect(at).toBeLessThan(16);
});
