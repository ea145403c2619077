import { inspect } from 'node:util';
import {
  changeableEmbedderContract,
  embedderContract,
  interruptibleEmbedderContract,
  refusingEmbedderContract,
  recordLog,
} from '@portico/contracts';
import { fakeNomic, startOllama, type FakeOllama } from '@portico/test-servers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { realServerLimits } from '../test/real-server-limits.ts';
import { embedRequests, openOllama } from '../test/open-ollama.ts';
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
      await check({ embedder, change });
    });
  }
  for (const [sentence, check] of Object.entries(refusingEmbedderContract)) {
    test(sentence, async () => {
      const { embedder, fake } = await openOllama();
      await check({ embedder, refuse: () => fake.install({ ...fakeNomic, contextLength: 8 }) });
    });
  }
});

const ollama = await startOllama();
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

test('a server that takes 15 s per text passes with the limits for real servers, not with the defaults', async () => {
  const embedsAWord = embedderContract['its check succeeds while it can embed'];
  for (const [limits, outcome] of [
    [realServerLimits, 'passed'],
    [{}, 'failed'],
  ] as const) {
    const { embedder, fake, time } = await openOllama({ limits });
    fake.setFault({ slowMs: 15_000 });
    const checked = Promise.resolve(embedsAWord(embedder)).then(
      () => 'passed',
      () => 'failed',
    );
    expect(await time.advanceUntil(checked)).toBe(outcome);
  }
});

describe('the Ollama embedder on the fake, texts:', () => {
  const inputs = (fake: FakeOllama) => embedRequests(fake).map(({ input }) => input);

  test('documents and queries are sent with the prefixes of nomic-embed-text, never cut by the server', async () => {
    const { embedder, fake } = await openOllama();
    await embedder.embed(['rain'], 'document');
    await embedder.embed(['rain'], 'query');
    expect(fake.requestsTo('/api/embed')).toEqual([
      { model: 'nomic-embed-text', input: [], truncate: false },
      { model: 'nomic-embed-text', input: ['search_document: rain'], truncate: false },
      { model: 'nomic-embed-text', input: ['search_query: rain'], truncate: false },
    ]);
  });

  test('every request sets how long the model stays loaded and how many threads compute, if configured', async () => {
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
      expect(await embedder.modelId()).toBe('nomic-embed-text:latest@0a109f422b47e3a3+2');
      expect(fake.requestsTo('/api/pull')).toEqual([]);
    },
  );

  test('a model of another family receives the text without a prefix', async () => {
    const other = { ...fakeNomic, name: 'all-minilm:33m' };
    const { embedder, fake } = await openOllama({ model: 'all-minilm:33m' }, { models: [other] });
    await embedder.embed(['rain'], 'document');
    expect(inputs(fake)).toEqual([['rain']]);
  });

  test('texts are sent one at a time, in order', async () => {
    const { embedder, fake } = await openOllama();
    const texts = Array.from({ length: 40 }, (_, index) => `word${index}`);
    const { vectors } = await embedder.embed(texts, 'document');
    expect(inputs(fake)).toEqual(texts.map((text) => [`search_document: ${text}`]));
    const [last] = (await embedder.embed(['word39'], 'document')).vectors;
    expect(vectors.at(-1)).toEqual(last);
  });

  test('a document is sent in pieces of at most 256 tokens, and its vector is their mean', async () => {
    const { embedder, fake, time } = await openOllama();
    fake.runner.tokenMs = 1;
    const parts = ['Rain falls. '.repeat(62), 'Snow melts. '.repeat(31)];
    const { vectors } = await time.advanceUntil(embedder.embed([parts.join('')], 'document'));
    expect(inputs(fake)).toEqual(parts.map((part) => [`search_document: ${part}`]));
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
    expect(inputs(fake).map(([text = '']) => text.length)).toEqual(
      [480, 240, 128].map((units) => units + 'search_document: '.length),
    );
    expect(lines.filter((line) => line.startsWith('debug'))).toEqual([
      'debug A text of 480 UTF-16 units was cut to 128 for the model',
    ]);
  });

  test('a text that cannot be cut short enough is rejected after a few attempts', async () => {
    const tiny = { ...fakeNomic, contextLength: 4 };
    const { embedder, fake, lines } = await openOllama({}, { models: [tiny] });
    await expect(embedder.embed(['- '.repeat(9000)], 'document')).rejects.toMatchObject({
      name: 'TextRefusedError',
      message: 'A text of 128 UTF-16 units is too long for the model',
    });
    expect(inputs(fake).map(([text = '']) => text.length - 'search_document: '.length)).toEqual([496, 248, 128]);
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  });
});

describe('the Ollama embedder on the fake, model:', () => {
  test('the id consists of name, tag, digest and text scheme', async () => {
    const { embedder } = await openOllama();
    expect(await embedder.modelId()).toBe('nomic-embed-text:latest@0a109f422b47e3a3+2');
  });

  test('the previous version has the same vectors under its own id, even while the server is unavailable', async () => {
    const { embedder, fake } = await openOllama();
    const { vectors } = await embedder.embed(['rain'], 'query');
    const id = 'nomic-embed-text:latest@0a109f422b47e3a3+1';
    expect(await embedder.earlier.embed(['rain'], 'query')).toEqual({ modelId: id, vectors });
    await fake.control.stop();
    expect(await embedder.earlier.modelId()).toBe(id);
    await expect(embedder.earlier.check()).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  test('the id is cached, and the last one is returned while the server is unavailable', async () => {
    const { embedder, fake, lines, time } = await openOllama();
    const id = await embedder.modelId();
    await time.advance(ollamaLimits.modelIdMaxAgeMs - 1);
    await embedder.modelId();
    expect(fake.requestsTo('/api/tags')).toHaveLength(1);
    await fake.control.stop();
    await time.advance(1);
    expect(await embedder.modelId()).toBe(id);
    expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(1);
  });

  test('without any known id the error is embedding_unavailable', async () => {
    const { embedder, fake } = await openOllama();
    await fake.control.stop();
    await expect(embedder.modelId()).rejects.toMatchObject({ code: 'embedding_unavailable' });
    await expect(embedder.embed([], 'query')).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  test('the id is requested again once the cache expires', async () => {
    const { embedder, fake, lines, time } = await openOllama();
    const before = await embedder.modelId();
    fake.install({ ...fakeNomic, digest: otherDigest });
    await time.advance(ollamaLimits.modelIdMaxAgeMs);
    expect(await embedder.modelId()).toBe('nomic-embed-text:latest@bbbbbbbbbbbbbbbb+2');
    expect(lines.at(-1)).toBe(
      `info The embedding model is now nomic-embed-text:latest@bbbbbbbbbbbbbbbb+2 (was ${before})`,
    );
  });

  test('vectors computed while the model changes are computed again with the new model', async () => {
    const { embedder, fake } = await openOllama();
    const before = await embedder.embed(['rain'], 'document');
    fake.afterNextEmbed(() => fake.install({ ...fakeNomic, digest: otherDigest }));
    const during = await embedder.embed(['rain'], 'document');
    const after = await embedder.embed(['rain'], 'document');
    expect(during).toEqual(after);
    expect(during.modelId).not.toBe(before.modelId);
    expect(during.vectors).not.toEqual(before.vectors);
  });

  test('a model that changes repeatedly returns no vector', async () => {
    const { embedder, fake } = await openOllama();
    await embedder.modelId();
    fake.afterNextEmbed(() => {
      fake.install({ ...fakeNomic, digest: otherDigest });
      fake.afterNextEmbed(() => fake.install(fakeNomic));
    });
    await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  test('the check reports a model of another dimension, which returns no vector', async () => {
    const { embedder } = await openOllama(
      { model: 'all-minilm' },
      { models: [{ ...fakeNomic, name: 'all-minilm:latest', dimension: 384 }] },
    );
    const problem = 'EMBEDDING_MODEL all-minilm gives 384 dimensions, Portico needs 768';
    await expect(embedder.check()).rejects.toThrow(problem);
    await expect(embedder.check()).rejects.toThrow(problem);
    await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject({ code: 'embedding_unavailable' });
  });

  test('a name and a password in the URL are sent as basic authentication, and never logged', async () => {
    const { fake } = await openOllama();
    const url = fake.url.replace('http://', 'http://ada:l%40velace@');
    const { embedder, lines, causes } = await openOllama({ url });
    await embedder.embed(['rain'], 'query');
    const sent = `Basic ${Buffer.from('ada:l@velace').toString('base64')}`;
    expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual(fake.requests.map(() => sent));
    await fake.control.stop();
    const failure: unknown = await embedder.check().catch((error: unknown) => error);
    expect(inspect([failure, lines, causes], { depth: 9 })).not.toMatch(/velace|YWRh/);
  });
});
