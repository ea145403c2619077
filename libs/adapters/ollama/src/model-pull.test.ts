import { fakeNomic, type PullFault } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { openOllama } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';

const unavailable = { code: 'embedding_unavailable' };
const noModels = { models: [] };
const { pullPauseMs, pullPauseMaxMs, pullStallMs } = ollamaLimits;
const onFake = (name: string) => `fake Ollama: ${name}`;

test(onFake('a missing model is pulled in the background, its progress is logged, and then it embeds'), async () => {
  const { fake, embedder, lines, time } = await openOllama(
    { pull: true, limits: { progressLogIntervalMs: 0 } },
    noModels,
  );
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await time.pollInRealTime(() => expect(lines).toContain('info Ollama has pulled nomic-embed-text'));
  await embedder.check();
  expect((await embedder.embed(['rain'], 'query')).vectors).toHaveLength(1);
  expect(lines.slice(0, 2)).toEqual([
    'info Ollama has no model nomic-embed-text: pulling it now',
    'warn Ollama does not embed: the model nomic-embed-text is being pulled',
  ]);
  expect(lines).toContain('info Ollama is pulling nomic-embed-text: 50 %, 137 of 274 MB');
  expect(lines.at(-1)).toBe('info Ollama embeds again');
  expect(fake.requestsTo('/api/pull')).toHaveLength(1);
});

test(onFake('nothing is embedded during a pull, and the check reports the progress'), async () => {
  const { fake, embedder, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = 'hang';
  await expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject(unavailable);
  await time.pollInRealTime(() =>
    expect(embedder.check()).rejects.toThrow(
      'Embedding service unavailable: the model nomic-embed-text is being pulled (25 %, 69 of 274 MB)',
    ),
  );
});

test(onFake('a model is pulled once for any number of calls'), async () => {
  const { fake, embedder, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = 'hang';
  const callAll = () =>
    Promise.allSettled([
      ...Array.from({ length: 20 }, () => embedder.embed(['rain'], 'query')),
      ...Array.from({ length: 5 }, () => embedder.check()),
    ]);
  await callAll();
  await time.pollInRealTime(() => expect(fake.requestsTo('/api/pull')).toHaveLength(1));
  await callAll();
  expect(fake.requestsTo('/api/pull')).toHaveLength(1);
});

test(onFake('log lines about the progress have a minimum interval'), async () => {
  const { embedder, lines, time } = await openOllama({ pull: true }, noModels);
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await time.pollInRealTime(() => embedder.check());
  expect(lines.filter((line) => line.includes('%'))).toEqual([]);
});

test.each<[PullFault, string]>([
  ['unknown', 'pull model manifest: file does not exist'],
  ['midway', 'max retries exceeded: unexpected EOF'],
  ['hang', 'No progress for 240000 ms'],
  ['stall', 'No progress for 240000 ms'],
  ['vain', 'The pull succeeded, but the server does not list the model'],
  ['reset', 'terminated'],
  ['html', 'Ollama answered with text/html instead of application/x-ndjson'],
])(onFake('a failed pull (%s) is logged with its cause, and retried'), async (fault, cause) => {
  const { fake, embedder, lines, causes, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = fault;
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  if (fault === 'hang' || fault === 'stall') {
    await time.pollInRealTime(() => expect(embedder.check()).rejects.toThrow('is being pulled (25 %'));
    await time.advance(pullStallMs);
  }
  await time.pollInRealTime(() =>
    expect(lines).toContain('warn Ollama could not pull nomic-embed-text: retrying in 5 s'),
  );
  expect(causes.map(String).join()).toContain(cause);
  fake.pullFault = null;
  await time.advance(pullPauseMs - 1);
  expect(fake.requestsTo('/api/pull')).toHaveLength(1);
  await time.advance(1);
  await time.pollInRealTime(() => embedder.check());
  expect(fake.requestsTo('/api/pull')).toHaveLength(2);
});

test(onFake('the pauses between pulls double up to the maximum'), async () => {
  const { fake, embedder, lines, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = 'unknown';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  const loggedPauses = () => lines.filter((line) => line.includes('retrying in')).map((line) => line.split(' in ')[1]);
  const pauses = [5, 10, 20, 40, 80, 160, 300, 300];
  for (const [at, seconds] of pauses.entries()) {
    await time.pollInRealTime(() => expect(loggedPauses()).toHaveLength(at + 1));
    await time.advance(seconds * 1_000 - 1);
    expect(fake.requestsTo('/api/pull')).toHaveLength(at + 1);
    await time.advance(1);
  }
  expect(loggedPauses().slice(0, pauses.length)).toEqual(pauses.map((seconds) => `${seconds} s`));
});

test(onFake('a pull that succeeds without the model pauses like one that fails'), async () => {
  const { fake, embedder, lines, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = 'vain';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await time.pollInRealTime(() => expect(lines.some((line) => line.includes('retrying in 5 s'))).toBe(true));
  for (let attempt = 1; attempt <= 5; attempt += 1)
    await expect(embedder.check()).rejects.toThrow('could not be pulled');
  expect(fake.requestsTo('/api/pull')).toHaveLength(1);
});

test(onFake('a model installed by other means is no longer pulled'), async () => {
  const { fake, embedder, lines, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = 'unknown';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await time.pollInRealTime(() => expect(lines.some((line) => line.includes('retrying in'))).toBe(true));
  fake.install(fakeNomic);
  await time.advance(pullPauseMs);
  // After the pause, the embedder checks whether the model is installed.
  await time.pollInRealTime(() => expect(fake.requestsTo('/api/tags')).toHaveLength(2));
  await embedder.check();
  await time.advance(pullPauseMaxMs);
  expect(fake.requestsTo('/api/pull')).toHaveLength(1);
});

test(onFake('a model that is removed while in use is pulled again'), async () => {
  const { fake, embedder, time } = await openOllama({ pull: true });
  await embedder.embed(['rain'], 'query');
  fake.remove(fakeNomic.name);
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailable);
  await time.pollInRealTime(() => embedder.check());
  await embedder.embed(['rain'], 'query');
});

test(onFake('without permission to pull, the message contains the command'), async () => {
  const { fake, embedder, lines } = await openOllama({ pull: false }, noModels);
  for (let time = 1; time <= 2; time += 1) {
    await expect(embedder.check()).rejects.toThrow('the model is missing, run: ollama pull nomic-embed-text');
  }
  expect(lines).toEqual(['warn Ollama does not embed: the model is missing, run: ollama pull nomic-embed-text']);
  expect(fake.requestsTo('/api/pull')).toEqual([]);
});

test(onFake('a URL without Ollama does not count as a missing model: nothing is pulled'), async () => {
  const { fake } = await openOllama();
  const url = `${fake.url}/elsewhere`;
  const { embedder, lines, causes } = await openOllama({ pull: true, url });
  await expect(embedder.check()).rejects.toThrow(/: Ollama answered 404$/);
  expect(lines).toEqual(['warn Ollama does not embed: Ollama answered 404']);
  expect(causes).toMatchObject([{ message: 'Ollama answered 404: 404 page not found' }]);
});

test(onFake('closing aborts a pull, and the pause before a retry'), async () => {
  for (const fault of ['hang', 'unknown'] as const) {
    const { fake, embedder, lines, time } = await openOllama(
      { pull: true, limits: { progressLogIntervalMs: 0 } },
      noModels,
    );
    fake.pullFault = fault;
    await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
    const logText = fault === 'hang' ? '25 %' : 'retrying in';
    await time.pollInRealTime(() => expect(lines.some((line) => line.includes(logText))).toBe(true));
    await embedder.close();
    await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
    expect(fake.requestsTo('/api/pull')).toHaveLength(1);
  }
});
