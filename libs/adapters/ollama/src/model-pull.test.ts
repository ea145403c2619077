import { nomicStandIn, type PullFault } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { openOllama } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';

const unavailable = { code: 'embedding_unavailable' };
const empty = { models: [] };
const { pullPauseMs, pullPauseMaxMs, pullSilenceMs } = ollamaLimits;
const stand = (name: string) => `Ollama stand-in: ${name}`;

test(stand('a missing model is pulled in the background, its progress is logged, and then it embeds'), async () => {
  const { standIn, embedder, lines, time } = await openOllama({ pull: true, limits: { progressMs: 0 } }, empty);
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await time.stillUntil(() => expect(lines).toContain('info Ollama has pulled nomic-embed-text'));
  await embedder.check();
  expect((await embedder.embed(['rain'], 'query')).vectors).toHaveLength(1);
  expect(lines.slice(0, 2)).toEqual([
    'info Ollama has no model nomic-embed-text: pulling it now',
    'warn Ollama does not embed: the model nomic-embed-text is being pulled',
  ]);
  expect(lines).toContain('info Ollama is pulling nomic-embed-text: 50 %, 137 of 274 MB');
  expect(lines.at(-1)).toBe('info Ollama embeds again');
  expect(standIn.asked('/api/pull')).toHaveLength(1);
});

test(stand('meanwhile nothing is embedded, and the check reports the progress'), async () => {
  const { standIn, embedder, time } = await openOllama({ pull: true }, empty);
  standIn.pullFault = 'hang';
  await expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject(unavailable);
  await time.stillUntil(() =>
    expect(embedder.check()).rejects.toThrow(
      'Embedding service unavailable: the model nomic-embed-text is being pulled (25 %, 69 of 274 MB)',
    ),
  );
});

test(stand('it is pulled once, however many calls there are'), async () => {
  const { standIn, embedder, time } = await openOllama({ pull: true }, empty);
  standIn.pullFault = 'hang';
  const ask = () =>
    Promise.allSettled([
      ...Array.from({ length: 20 }, () => embedder.embed(['rain'], 'query')),
      ...Array.from({ length: 5 }, () => embedder.check()),
    ]);
  await ask();
  await time.stillUntil(() => expect(standIn.asked('/api/pull')).toHaveLength(1));
  await ask();
  expect(standIn.asked('/api/pull')).toHaveLength(1);
});

test(stand('log lines about its progress are some time apart'), async () => {
  const { embedder, lines, time } = await openOllama({ pull: true }, empty);
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await time.stillUntil(() => embedder.check());
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
])(stand('a failed pull (%s) is logged with its cause, and retried'), async (fault, said) => {
  const { standIn, embedder, lines, causes, time } = await openOllama({ pull: true }, empty);
  standIn.pullFault = fault;
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  if (fault === 'hang' || fault === 'stall') {
    await time.stillUntil(() => expect(embedder.check()).rejects.toThrow('is being pulled (25 %'));
    await time.pass(pullSilenceMs);
  }
  await time.stillUntil(() => expect(lines).toContain('warn Ollama could not pull nomic-embed-text: retrying in 5 s'));
  expect(causes.map(String).join()).toContain(said);
  standIn.pullFault = null;
  await time.pass(pullPauseMs - 1);
  expect(standIn.asked('/api/pull')).toHaveLength(1);
  await time.pass(1);
  await time.stillUntil(() => embedder.check());
  expect(standIn.asked('/api/pull')).toHaveLength(2);
});

test(stand('pauses between pulls double, up to the longest'), async () => {
  const { standIn, embedder, lines, time } = await openOllama({ pull: true }, empty);
  standIn.pullFault = 'unknown';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  const told = () => lines.filter((line) => line.includes('retrying in')).map((line) => line.split(' in ')[1]);
  const pauses = [5, 10, 20, 40, 80, 160, 300, 300];
  for (const [at, seconds] of pauses.entries()) {
    await time.stillUntil(() => expect(told()).toHaveLength(at + 1));
    await time.pass(seconds * 1_000 - 1);
    expect(standIn.asked('/api/pull')).toHaveLength(at + 1);
    await time.pass(1);
  }
  expect(told().slice(0, pauses.length)).toEqual(pauses.map((seconds) => `${seconds} s`));
});

test(stand('a pull that succeeds without the model pauses like one that fails'), async () => {
  const { standIn, embedder, lines, time } = await openOllama({ pull: true }, empty);
  standIn.pullFault = 'vain';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await time.stillUntil(() => expect(lines.some((line) => line.includes('retrying in 5 s'))).toBe(true));
  for (let attempt = 1; attempt <= 5; attempt += 1)
    await expect(embedder.check()).rejects.toThrow('could not be pulled');
  expect(standIn.asked('/api/pull')).toHaveLength(1);
});

test(stand('a model installed by other means is no longer pulled'), async () => {
  const { standIn, embedder, lines, time } = await openOllama({ pull: true }, empty);
  standIn.pullFault = 'unknown';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await time.stillUntil(() => expect(lines.some((line) => line.includes('retrying in'))).toBe(true));
  standIn.install(nomicStandIn);
  await time.pass(pullPauseMs);
  // After its pause it checks whether the model is there.
  await time.stillUntil(() => expect(standIn.asked('/api/tags')).toHaveLength(2));
  await embedder.check();
  await time.pass(pullPauseMaxMs);
  expect(standIn.asked('/api/pull')).toHaveLength(1);
});

test(stand('a model that is removed while in use is pulled again'), async () => {
  const { standIn, embedder, time } = await openOllama({ pull: true });
  await embedder.embed(['rain'], 'query');
  standIn.remove(nomicStandIn.name);
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailable);
  await time.stillUntil(() => embedder.check());
  await embedder.embed(['rain'], 'query');
});

test(stand('if it may not pull, the message names the command that does'), async () => {
  const { standIn, embedder, lines } = await openOllama({ pull: false }, empty);
  for (let time = 1; time <= 2; time += 1) {
    await expect(embedder.check()).rejects.toThrow('the model is missing, run: ollama pull nomic-embed-text');
  }
  expect(lines).toEqual(['warn Ollama does not embed: the model is missing, run: ollama pull nomic-embed-text']);
  expect(standIn.asked('/api/pull')).toEqual([]);
});

test(stand('an address without Ollama does not count as a missing model: nothing is pulled'), async () => {
  const { standIn } = await openOllama();
  const url = `${standIn.url}/elsewhere`;
  const { embedder, lines, causes } = await openOllama({ pull: true, url });
  await expect(embedder.check()).rejects.toThrow(/: Ollama answered 404$/);
  expect(lines).toEqual(['warn Ollama does not embed: Ollama answered 404']);
  expect(causes).toMatchObject([{ message: 'Ollama answered 404: 404 page not found' }]);
});

test(stand('closing ends a pull, and the pause before a retry'), async () => {
  for (const fault of ['hang', 'unknown'] as const) {
    const { standIn, embedder, lines, time } = await openOllama({ pull: true, limits: { progressMs: 0 } }, empty);
    standIn.pullFault = fault;
    await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
    const sign = fault === 'hang' ? '25 %' : 'retrying in';
    await time.stillUntil(() => expect(lines.some((line) => line.includes(sign))).toBe(true));
    await embedder.close();
    await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
    expect(standIn.asked('/api/pull')).toHaveLength(1);
  }
});
