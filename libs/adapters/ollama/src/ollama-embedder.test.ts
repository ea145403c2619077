import { inspect } from 'node:util';
import {
  changeableEmbedderContract,
  embedderContract,
  interruptibleEmbedderContract,
  rejectingEmbedderContract,
  recordLog,
} from '@portico/contracts';
import { fakeNomic, connectToOllama, type FakeOllama } from '@portico/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { realServerLimits } from '../test/real-server-limits.ts';
import { listEmbedRequests, openOllama } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';
import { createOllamaEmbedder } from './ollama-embedder.ts';

const otherDigest = 'b'.repeat(64);
describe('the Ollama embedder on the fake:', () => {
  for (const [sentence, check] of Object.entries(embedderContract)) {
    test(sentence, async () => check((await openOllama()).embedder));
  }
  for (const [sentence, check] of Object.entries(interruptibleEmbedderContract)) {
    test(sentence, async () => {
      const { embedder, fake } = await openOllama();
      await check({
        embedder,
        interrupt: () => fake.remove(fakeNomic.name),
        resume: () => fake.install(fakeNomic),
      });
    });
  }
  for (const [sentence, check] of Object.entries(changeableEmbedderContract)) {
    test(sentence, async () => {
      const { embedder, fake } = await openOllama();
      let changes = 0;
      const change = () => fake.install({ ...fakeNomic, digest: String((changes += 1)).padEnd(64, '0') });
      await check({ embedder, changeModel: change });
    });
  }
  for (const [sentence, check] of Object.entries(rejectingEmbedderContract)) {
    test(sentence, async () => {
      const { embedder, fake } = await openOllama();
      await check({ embedder, reject: () => fake.install({ ...fakeNomic, contextLength: 8 }) });
    });
  }
});

const ollama = await connectToOllama();
describe.skipIf(!ollama)('the Ollama embedder on Ollama:', () => {
  for (const [sentence, check] of Object.entries(embedderContract)) {
    test(sentence, async () => {
      const embedder = createOllamaEmbedder({
        url: ollama?.url ?? '',
        model: 'nomic-embed-text',
        pull: false,
        limits: realServerLimits,
        log: recordLog(),
      });
      onTestFinished(() => embedder.close());
      await check(embedder);
    });
  }
});

test('a server that takes 15 s per text passes with the limits for real servers, but not with the defaults', async () => {
  const checkEmbedding = embedderContract['the check succeeds while the embedder can embed texts'];
  for (const [limits, expectedOutcome] of [
    [realServerLimits, 'passed'],
    [{}, 'failed'],
  ] as const) {
    const { embedder, fake, time } = await openOllama({ limits });
    fake.setFault({ delayMs: 15_000 });
    const outcome = Promise.resolve(checkEmbedding(embedder)).then(
      () => 'passed',
      () => 'failed',
    );
    expect(await time.advanceUntil(outcome)).toBe(expectedOutcome);
  }
});

describe('the Ollama embedder on the fake, texts:', () => {
  const listInputs = (fake: FakeOllama) => listEmbedRequests(fake).map(({ input }) => input);

  test('documents and queries are sent with the prefixes of nomic-embed-text, and the server never truncates them', async () => {
    const { embedder, fake } = await openOllama();
    await embedder.embed(['rain'], 'document');
    await embedder.embed(['rain'], 'query');
    expect(fake.requestsTo('/api/embed')).toEqual([
      { model: 'nomic-embed-text', input: [], truncate: false },
      { model: 'nomic-embed-text', input: ['search_document: rain'], truncate: false },
      { model: 'nomic-embed-text', input: ['search_query: rain'], truncate: false },
    ]);
  });

  test('if configured, every request sets how long the model remains loaded and how many threads it uses', async () => {
    const { embedder, fake } = await openOllama({ keepAlive: '24h', numThread: 3 });
    await embedder.embed(['rain'], 'query');
    const options = { model: 'nomic-embed-text', truncate: false, keep_alive: '24h', options: { num_thread: 3 } };
    expect(fake.requestsTo('/api/embed')).toEqual([
      { ...options, input: [] },
      { ...options, input: ['search_query: rain'] },
    ]);
  });

  test.each(['library/nomic-embed-text', 'https://registry.ollama.ai/library/nomic-embed-text:latest'])(
    'a model requested as %s is the one listed by its short name',
    async (model) => {
      const { embedder, fake } = await openOllama({ model, pull: true });
      await embedder.check();
      expect(await embedder.getModelId()).toBe('nomic-embed-text:latest@0a109f422b47e3a3+2');
      expect(fake.requestsTo('/api/pull')).toEqual([]);
    },
  );

  test('a model of a different family receives the text without a prefix', async () => {
    const otherModel = { ...fakeNomic, name: 'all-minilm:33m' };
    const { embedder, fake } = await openOllama({ model: 'all-minilm:33m' }, { models: [otherModel] });
    await embedder.embed(['rain'], 'document');
    expect(listInputs(fake)).toEqual([['rain']]);
  });

  test('texts are sent one at a time, in order', async () => {
    const { embedder, fake } = await openOllama();
    const texts = Array.from({ length: 40 }, (_, index) => `word${index}`);
    const { vectors } = await embedder.embed(texts, 'document');
    expect(listInputs(fake)).toEqual(texts.map((text) => [`search_document: ${text}`]));
    const [lastVector] = (await embedder.embed(['word39'], 'document')).vectors;
    expect(vectors.at(-1)).toEqual(lastVector);
  });

  test('a document is sent in pieces of at most 256 tokens, and its vector is their mean', async () => {
    const { embedder, fake, time } = await openOllama();
    fake.runner.tokenMs = 1;
    const parts = ['Rain falls. '.repeat(62), 'Snow melts. '.repeat(31)];
    const { vectors } = await time.advanceUntil(embedder.embed([parts.join('')], 'document'));
    expect(listInputs(fake)).toEqual(parts.map((part) => [`search_document: ${part}`]));
    expect(fake.runner.processedTokens.every((tokens) => tokens <= 256)).toBe(true);
    const [rain, snow] = (await time.advanceUntil(embedder.embed(parts, 'document'))).vectors;
    const sum = rain?.map((x, i) => 2 * x + (snow?.[i] ?? 0)) ?? [];
    const length = Math.hypot(...sum);
    const mean = Array.from(sum, (x) => x / length);
    vectors[0]?.forEach((x, i) => expect(x).toBeCloseTo(mean[i] ?? Infinity, 6));
  });

  test('a text is cut in half until the model accepts it, and only its length is logged, once', async () => {
    const { embedder, fake, lines } = await openOllama({}, { models: [{ ...fakeNomic, contextLength: 80 }] });
    await embedder.embed(['b '.repeat(240)], 'document');
    expect(listInputs(fake).map(([text = '']) => text.length)).toEqual(
      [480, 240, 128].map((units) => units + 'search_document: '.length),
    );
    expect(lines.filter((line) => line.startsWith('debug'))).toEqual([
      'debug A text of 480 UTF-16 units was cut to 128 for the model',
    ]);
  });

  test('a text that cannot be cut short enough is rejected after a few attempts', async () => {
    const tinyModel = { ...fakeNomic, contextLength: 4 };
    const { embedder, fake, lines } = await openOllama({}, { models: [tinyModel] });
    await expect(embedder.embed(['- '.repeat(9000)], 'document')).rejects.toMatchObject({
      name: 'TextRejectedError',
      message: 'A text of 128 UTF-16 units is too long for the model',
    });
    expect(listInputs(fake).map(([text = '']) => text.length - 'search_document: '.length)).toEqual([496, 248, 128]);
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  });
});

describe('the Ollama embedder on the fake, model:', () => {
  test('the id consists of name, tag, digest and text scheme', async () => {
    const { embedder } = await openOllama();
    expect(await embedder.getModelId()).toBe('nomic-embed-text:latest@0a109f422b47e3a3+2');
  });

  test('the embedder of the previous version returns the same vectors with the previous id, even while the server is unavailable', async () => {
    const { embedder, fake } = await openOllama();
    const { vectors } = await embedder.embed(['rain'], 'query');
    const id = 'nomic-embed-text:latest@0a109f422b47e3a3+1';
    expect(await embedder.previousVersion.embed(['rain'], 'query')).toEqual({ modelId: id, vectors });
    await fake.control.stop();
    expect(await embedder.previousVersion.getModelId()).toBe(id);
    await expect(embedder.previousVersion.check()).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  test('the id is cached, and the last one is returned while the server is unavailable', async () => {
    const { embedder, fake, lines, time } = await openOllama();
    const id = await embedder.getModelId();
    await time.advance(ollamaLimits.modelIdMaxAgeMs - 1);
    await embedder.getModelId();
    expect(fake.requestsTo('/api/tags')).toHaveLength(1);
    await fake.control.stop();
    await time.advance(1);
    expect(await embedder.getModelId()).toBe(id);
    expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(1);
  });

  test('if no id is known yet, the error is embedding_unavailable', async () => {
    const { embedder, fake } = await openOllama();
    await fake.control.stop();
    await expect(embedder.getModelId()).rejects.toMatchObject({ code: 'embedding_unavailable' });
    await expect(embedder.embed([], 'query')).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  test('the id is requested again once the cache expires', async () => {
    const { embedder, fake, lines, time } = await openOllama();
    const previousId = await embedder.getModelId();
    fake.install({ ...fakeNomic, digest: otherDigest });
    await time.advance(ollamaLimits.modelIdMaxAgeMs);
    expect(await embedder.getModelId()).toBe('nomic-embed-text:latest@bbbbbbbbbbbbbbbb+2');
    expect(lines.at(-1)).toBe(
      `info The embedding model is now nomic-embed-text:latest@bbbbbbbbbbbbbbbb+2 (was ${previousId})`,
    );
  });

  test('vectors computed while the model changes are computed again with the new model', async () => {
    const { embedder, fake } = await openOllama();
    const previousResult = await embedder.embed(['rain'], 'document');
    fake.runAfterNextEmbed(() => fake.install({ ...fakeNomic, digest: otherDigest }));
    const firstResult = await embedder.embed(['rain'], 'document');
    const nextResult = await embedder.embed(['rain'], 'document');
    expect(firstResult).toEqual(nextResult);
    expect(firstResult.modelId).not.toBe(previousResult.modelId);
    expect(firstResult.vectors).not.toEqual(previousResult.vectors);
  });

  test('a model that changes repeatedly returns no vector', async () => {
    const { embedder, fake } = await openOllama();
    await embedder.getModelId();
    fake.runAfterNextEmbed(() => {
      fake.install({ ...fakeNomic, digest: otherDigest });
      fake.runAfterNextEmbed(() => fake.install(fakeNomic));
    });
    await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  test('the check reports a model with a different dimension, and the model is not used', async () => {
    const { embedder } = await openOllama(
      { model: 'all-minilm' },
      { models: [{ ...fakeNomic, name: 'all-minilm:latest', dimension: 384 }] },
    );
    const problem = 'EMBEDDING_MODEL all-minilm returns vectors with 384 dimensions, but Portico requires 768';
    await expect(embedder.check()).rejects.toThrow(problem);
    await expect(embedder.check()).rejects.toThrow(problem);
    await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  test('a name and a password in the URL are sent as basic authentication, and never logged', async () => {
    const { fake } = await openOllama();
    const url = fake.url.replace('http://', 'http://ada:l%40velace@');
    const { embedder, lines, causes } = await openOllama({ url });
    await embedder.embed(['rain'], 'query');
    const authorization = `Basic ${Buffer.from('ada:l@velace').toString('base64')}`;
    expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual(fake.requests.map(() => authorization));
    await fake.control.stop();
    const failure: unknown = await embedder.check().catch((error: unknown) => error);
    expect(inspect([failure, lines, causes], { depth: 9 })).not.toMatch(/velace|YWRh/);
  });
});
