import { fakeNomic, type PullFault } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { openOllama } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';

const unavailableError = { code: 'embedding_unavailable' };
const noModels = { models: [] };
const { pullPauseMs, pullPauseMaxMs, pullStallMs } = ollamaLimits;
const onFake = (name: string) => `fake Ollama: ${name}`;

test(
  onFake('a missing model is pulled in the background, the progress is logged, and then texts are embedded'),
  async () => {
    const { fake, embedder, lines, time } = await openOllama(
      { pull: true, limits: { progressLogIntervalMs: 0 } },
      noModels,
    );
    await expect(embedder.getModelId()).rejects.toMatchObject(unavailableError);
    await time.pollInRealTime(() => expect(lines).toContain('info Ollama has pulled nomic-embed-text'));
    await embedder.check();
    expect((await embedder.embed(['rain'], 'query')).vectors).toHaveLength(1);
    expect(lines.slice(0, 2)).toEqual([
      'info Ollama has no model nomic-embed-text: pulling it now',
      'warn Ollama cannot embed texts: the model nomic-embed-text is being pulled',
    ]);
    expect(lines).toContain('info Ollama is pulling nomic-embed-text: 50 %, 137 of 274 MB');
    expect(lines.at(-1)).toBe('info Ollama can embed texts again');
    expect(fake.requestsTo('/api/pull')).toHaveLength(1);
  },
);

test(onFake('texts cannot be embedded during a pull, and the check reports the progress'), async () => {
  const { fake, embedder, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = 'hang';
  await expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject(unavailableError);
  await time.pollInRealTime(() =>
    expect(embedder.check()).rejects.toThrow(
      'Embedding service unavailable: the model nomic-embed-text is being pulled (25 %, 69 of 274 MB)',
    ),
  );
});

test(onFake('a model is pulled only once, regardless of the number of calls'), async () => {
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

test(onFake('progress is logged at most once per interval'), async () => {
  const { embedder, lines, time } = await openOllama({ pull: true }, noModels);
  await expect(embedder.getModelId()).rejects.toMatchObject(unavailableError);
  await time.pollInRealTime(() => embedder.check());
  expect(lines.filter((line) => line.includes('%'))).toEqual([]);
});

test.each<[PullFault, string]>([
  ['unknown', 'pull model manifest: file does not exist'],
  ['midway', 'max retries exceeded: unexpected EOF'],
  ['hang', 'No progress for 240000 ms'],
  ['stall', 'No progress for 240000 ms'],
  ['not installed', 'The pull succeeded, but the server does not list the model'],
  ['reset', 'terminated'],
  ['html', 'Ollama responded with text/html instead of application/x-ndjson'],
])(onFake('a failed pull (%s) is logged with its cause, and retried'), async (fault, cause) => {
  const { fake, embedder, lines, causes, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = fault;
  await expect(embedder.getModelId()).rejects.toMatchObject(unavailableError);
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
  await expect(embedder.getModelId()).rejects.toMatchObject(unavailableError);
  const listLoggedPauses = () =>
    lines.filter((line) => line.includes('retrying in')).map((line) => line.split(' in ')[1]);
  const pauses = [5, 10, 20, 40, 80, 160, 300, 300];
  for (const [index, seconds] of pauses.entries()) {
    await time.pollInRealTime(() => expect(listLoggedPauses()).toHaveLength(index + 1));
    await time.advance(seconds * 1_000 - 1);
    expect(fake.requestsTo('/api/pull')).toHaveLength(index + 1);
    await time.advance(1);
  }
  expect(listLoggedPauses().slice(0, pauses.length)).toEqual(pauses.map((seconds) => `${seconds} s`));
});

test(
  onFake('a pull that succeeds but does not install the model is retried after a pause, like one that fails'),
  async () => {
    const { fake, embedder, lines, time } = await openOllama({ pull: true }, noModels);
    fake.pullFault = 'not installed';
    await expect(embedder.getModelId()).rejects.toMatchObject(unavailableError);
    await time.pollInRealTime(() => expect(lines.some((line) => line.includes('retrying in 5 s'))).toBe(true));
    for (let attempt = 1; attempt <= 5; attempt += 1)
      await expect(embedder.check()).rejects.toThrow('could not be pulled');
    expect(fake.requestsTo('/api/pull')).toHaveLength(1);
  },
);

test(onFake('a model installed by other means is no longer pulled'), async () => {
  const { fake, embedder, lines, time } = await openOllama({ pull: true }, noModels);
  fake.pullFault = 'unknown';
  await expect(embedder.getModelId()).rejects.toMatchObject(unavailableError);
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
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailableError);
  await time.pollInRealTime(() => embedder.check());
  await embedder.embed(['rain'], 'query');
});

test(onFake('without permission to pull, the message contains the command'), async () => {
  const { fake, embedder, lines } = await openOllama({ pull: false }, noModels);
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await expect(embedder.check()).rejects.toThrow('the model is missing, run: ollama pull nomic-embed-text');
  }
  expect(lines).toEqual(['warn Ollama cannot embed texts: the model is missing, run: ollama pull nomic-embed-text']);
  expect(fake.requestsTo('/api/pull')).toEqual([]);
});

test(
  onFake('a URL that does not lead to Ollama does not count as a missing model, and no model is pulled'),
  async () => {
    const { fake } = await openOllama();
    const url = `${fake.url}/elsewhere`;
    const { embedder, lines, causes } = await openOllama({ pull: true, url });
    await expect(embedder.check()).rejects.toThrow(/: Ollama responded with 404$/);
    expect(lines).toEqual(['warn Ollama cannot embed texts: Ollama responded with 404']);
    expect(causes).toMatchObject([{ message: 'Ollama responded with 404: 404 page not found' }]);
  },
);

test(onFake('closing aborts a pull, and the pause before a retry'), async () => {
  for (const fault of ['hang', 'unknown'] as const) {
    const { fake, embedder, lines, time } = await openOllama(
      { pull: true, limits: { progressLogIntervalMs: 0 } },
      noModels,
    );
    fake.pullFault = fault;
    await expect(embedder.getModelId()).rejects.toMatchObject(unavailableError);
    const logText = fault === 'hang' ? '25 %' : 'retrying in';
    await time.pollInRealTime(() => expect(lines.some((line) => line.includes(logText))).toBe(true));
    await embedder.close();
    await expect(embedder.getModelId()).rejects.toMatchObject(unavailableError);
    expect(fake.requestsTo('/api/pull')).toHaveLength(1);
  }
});
