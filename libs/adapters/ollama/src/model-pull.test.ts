import { nomicStandIn, type PullFault } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { openOllama, until } from '../test/open-ollama.ts';
import type { OllamaLimits } from './limits.ts';

const unavailable = { code: 'embedding_unavailable' };
const empty = { models: [] };
const quick: Partial<OllamaLimits> = {
  progressMs: 0,
  pullPauseMs: 20,
  pullPauseMaxMs: 50,
  pullSilenceMs: 60_000,
  failures: 99,
};
const stand = (name: string) => `Ollama stand-in: ${name}`;

test(stand('a missing model is pulled in the background, its progress is logged, and then it embeds'), async () => {
  const { standIn, embedder, lines } = await openOllama({ pull: true, limits: quick }, empty);
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await until(() => expect(lines).toContain('info Ollama has pulled nomic-embed-text'));
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
  const { standIn, embedder } = await openOllama({ pull: true, limits: quick }, empty);
  standIn.pullFault = 'hang';
  await expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject(unavailable);
  await until(() =>
    expect(embedder.check()).rejects.toThrow(
      'Embedding service unavailable: the model nomic-embed-text is being pulled (25 %, 69 of 274 MB)',
    ),
  );
});

test(stand('it is pulled once, however many calls there are'), async () => {
  const { standIn, embedder } = await openOllama({ pull: true, limits: quick }, empty);
  standIn.pullFault = 'hang';
  const ask = () =>
    Promise.allSettled([
      ...Array.from({ length: 20 }, () => embedder.embed(['rain'], 'query')),
      ...Array.from({ length: 5 }, () => embedder.check()),
    ]);
  await ask();
  await until(() => expect(standIn.asked('/api/pull')).toHaveLength(1));
  await ask();
  expect(standIn.asked('/api/pull')).toHaveLength(1);
});

test(stand('log lines about its progress are some time apart'), async () => {
  const { standIn, embedder, lines } = await openOllama(
    { pull: true, limits: { ...quick, progressMs: 60_000 } },
    empty,
  );
  standIn.pullStepMs = 5;
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await until(() => embedder.check());
  expect(lines.filter((line) => line.includes('%'))).toEqual([]);
});

test.each<[PullFault, string]>([
  ['unknown', 'pull model manifest: file does not exist'],
  ['midway', 'max retries exceeded: unexpected EOF'],
  ['hang', 'No progress for 100 ms'],
  ['stall', 'No progress for 100 ms'],
  ['vain', 'The pull succeeded, but the server does not list the model'],
  ['reset', 'terminated'],
  ['html', 'Ollama answered with text/html instead of application/x-ndjson'],
])(stand('a failed pull (%s) is logged with its cause, and retried'), async (fault, said) => {
  const limits = fault === 'hang' || fault === 'stall' ? { ...quick, pullSilenceMs: 100 } : quick;
  const { standIn, embedder, lines, causes } = await openOllama({ pull: true, limits }, empty);
  standIn.pullFault = fault;
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await until(() => expect(standIn.asked('/api/pull').length).toBeGreaterThan(1));
  expect(lines).toContain('warn Ollama could not pull nomic-embed-text: retrying in 1 s');
  await until(() => expect(causes.map(String).join()).toContain(said));
  standIn.pullFault = null;
  await until(() => embedder.check());
});

test(stand('pauses between pulls double, up to the longest'), async () => {
  const limits = { ...quick, pullPauseMs: 1_000, pullPauseMaxMs: 4_000 };
  const { standIn, embedder, lines } = await openOllama({ pull: true, limits }, empty);
  standIn.pullFault = 'unknown';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  const told = () => lines.filter((line) => line.includes('retrying in')).map((line) => line.slice(-3));
  await until(() => expect(told().slice(0, 4)).toEqual(['1 s', '2 s', '4 s', '4 s']));
});

test(stand('a pull that succeeds without the model pauses like one that fails'), async () => {
  const limits = { ...quick, pullPauseMs: 60_000, pullPauseMaxMs: 60_000 };
  const { standIn, embedder, lines } = await openOllama({ pull: true, limits }, empty);
  standIn.pullFault = 'vain';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  await until(() => expect(lines.some((line) => line.includes('retrying in 60 s'))).toBe(true));
  for (let time = 1; time <= 5; time += 1) await expect(embedder.check()).rejects.toThrow('could not be pulled');
  expect(standIn.asked('/api/pull')).toHaveLength(1);
});

test(stand('a model installed by other means is no longer pulled'), async () => {
  const { standIn, embedder, lines } = await openOllama({ pull: true, limits: quick }, empty);
  standIn.pullFault = 'unknown';
  await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
  standIn.install(nomicStandIn);
  // After its pause it checks whether the model is there.
  await until(() => expect(standIn.asked('/api/tags')).toHaveLength(2));
  expect(lines.some((line) => line.includes('retrying in'))).toBe(true);
  await embedder.check();
  expect(standIn.asked('/api/pull')).toHaveLength(1);
});

test(stand('a model that is removed while in use is pulled again'), async () => {
  const { standIn, embedder } = await openOllama({ pull: true, limits: quick });
  await embedder.embed(['rain'], 'query');
  standIn.remove(nomicStandIn.name);
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailable);
  await until(() => embedder.embed(['rain'], 'query'));
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
  const { embedder, lines, causes } = await openOllama({ pull: true, limits: quick, url });
  await expect(embedder.check()).rejects.toThrow(/: Ollama answered 404$/);
  expect(lines).toEqual(['warn Ollama does not embed: Ollama answered 404']);
  expect(causes).toMatchObject([{ message: 'Ollama answered 404: 404 page not found' }]);
});

test(stand('closing ends a pull, and the pause before a retry'), async () => {
  for (const fault of ['hang', 'unknown'] as const) {
    const limits = { ...quick, pullPauseMs: 60_000, pullPauseMaxMs: 60_000 };
    const { standIn, embedder, lines } = await openOllama({ pull: true, limits }, empty);
    standIn.pullFault = fault;
    await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
    const sign = fault === 'hang' ? '25 %' : 'retrying in';
    await until(() => expect(lines.some((line) => line.includes(sign))).toBe(true));
    await embedder.close();
    await expect(embedder.modelId()).rejects.toMatchObject(unavailable);
    expect(standIn.asked('/api/pull')).toHaveLength(1);
  }
});
