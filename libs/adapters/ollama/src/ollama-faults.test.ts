import type { OllamaFault } from '@portico/test-servers';
import { expect, test } from 'vitest';
import { listEmbedRequests, openOllama, warmUp } from '../test/open-ollama.ts';
import { ollamaLimits } from './limits.ts';

const unavailableError = { code: 'embedding_unavailable' };
const listWarnings = (lines: readonly string[]) => lines.filter((line) => line.startsWith('warn'));
const onFake = (name: string) => `fake Ollama: ${name}`;
/** Limits that allow many failures, so that the breaker remains closed. */
const manyFailures = { failuresMax: 1_000 };

const faults: readonly OllamaFault[] = [
  'reset',
  'resetMidway',
  'garbage',
  'html',
  'nan',
  'infinite',
  'null',
  'zero',
  'shortVector',
  'empty',
  'twoVectors',
  'busy',
  'failure',
  'runnerGone',
];

test.each(faults)(
  onFake('%s: no vector is returned, the fault is logged once, and embedding recovers afterwards'),
  async (fault) => {
    const { fake, embedder, lines, causes } = await openOllama({ limits: manyFailures });
    await embedder.check();
    fake.setFault(fault);
    for (const purpose of ['document', 'query'] as const) {
      await expect(embedder.embed(['secretive words'], purpose)).rejects.toMatchObject(unavailableError);
      await expect(embedder.check()).rejects.toMatchObject(unavailableError);
    }
    expect(listWarnings(lines)).toHaveLength(1);
    expect(causes[0]).toBeInstanceOf(Error);
    expect(String(causes[0])).not.toContain('secretive');
    fake.setFault(null);
    await embedder.check();
    expect((await embedder.embed(['rain'], 'query')).vectors).toHaveLength(1);
    expect(lines.at(-1)).toBe('info Ollama can embed texts again');
  },
);

test.each(faults)(
  onFake('%s: the reason for a failed check contains no address, and the server message is logged'),
  async (fault) => {
    const { fake, embedder, causes } = await openOllama({ limits: manyFailures });
    fake.setFault(fault);
    const failure: unknown = await embedder.check().catch((error: unknown) => error);
    expect(failure).toMatchObject(unavailableError);
    expect(String(failure)).not.toMatch(/https?:\/\//);
    expect(failure).toMatchObject({ cause: causes[0] });
    if (fault === 'runnerGone') {
      expect(String(failure)).toMatch(/: Ollama responded with 400$/);
      expect(String(causes[0])).toContain('Post "http://127.0.0.1:40123/v1/embeddings": EOF');
    }
  },
);

test(onFake('callers get the standard error with its cause'), async () => {
  const { fake, embedder } = await openOllama();
  fake.setFault('busy');
  const failure: unknown = await embedder.embed(['rain'], 'query').catch((error: unknown) => error);
  expect(failure).toMatchObject({
    message: 'Embedding service unavailable',
    cause: {
      status: 503,
      message: 'Ollama responded with 503: server busy, please try again.  maximum pending requests exceeded',
    },
  });
});

test(onFake('no part of an invalid JSON response is quoted'), async () => {
  const { fake, embedder, lines, causes } = await openOllama();
  await embedder.check();
  for (const fault of ['garbage', 'nan'] as const) {
    fake.setFault(fault, 1);
    const failure: unknown = await embedder.embed(['rain'], 'query').catch((error: unknown) => error);
    expect(failure).toMatchObject({
      cause: { message: 'Ollama responded with invalid JSON', cause: undefined },
    });
  }
  expect(listWarnings(lines)).toEqual(['warn Ollama cannot embed texts: Ollama responded with invalid JSON']);
  expect(causes).toHaveLength(1);
});

test(onFake('a request whose connection broke before any response is retried, but only once'), async () => {
  const { fake, embedder } = await openOllama();
  await warmUp({ embedder, fake });
  fake.setFault('reset', 1);
  await embedder.embed(['rain'], 'query');
  expect(listEmbedRequests(fake)).toHaveLength(2);
  fake.setFault('reset', 2);
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailableError);
  expect(listEmbedRequests(fake)).toHaveLength(4);
});

test.each(['resetMidway', 'busy', 'failure', 'runnerGone', 'garbage'] as const)(
  onFake('%s is not retried'),
  async (fault) => {
    const { fake, embedder } = await openOllama();
    await warmUp({ embedder, fake });
    fake.setFault(fault, 1);
    await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailableError);
    expect(listEmbedRequests(fake)).toHaveLength(1);
  },
);

test(onFake('a server that hangs delays queries and documents no longer than their timeouts'), async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.setFault('hang');
  const failedPurposes: string[] = [];
  for (const purpose of ['document', 'query'] as const)
    embedder.embed(['rain'], purpose).catch(() => failedPurposes.push(purpose));
  await time.pollInRealTime(() => expect(listEmbedRequests(fake)).toHaveLength(2));
  const { queryMs, documentsMs } = ollamaLimits;
  await time.advance(queryMs - 1);
  expect(failedPurposes).toEqual([]);
  await time.advance(1);
  await time.pollInRealTime(() => expect(failedPurposes).toEqual(['query']));
  await time.advance(documentsMs - queryMs - 1);
  expect(failedPurposes).toEqual(['query']);
  await time.advance(1);
  await time.pollInRealTime(() => expect(failedPurposes).toEqual(['query', 'document']));
});

test(onFake('a server that hangs, including its list of models, does not block callers'), async () => {
  const { fake, embedder, lines, time } = await openOllama({ limits: { modelIdMaxAgeMs: 0 } });
  await embedder.check();
  lines.length = 0;
  await fake.control.pause();
  await expect(time.advanceUntil(embedder.check())).rejects.toThrow(
    'Embedding service unavailable: the server does not respond',
  );
  await expect(time.advanceUntil(embedder.embed(['rain'], 'query'))).rejects.toMatchObject(unavailableError);
  expect(await time.advanceUntil(embedder.getModelId())).toContain('nomic-embed-text:latest@');
  expect(listWarnings(lines)).toEqual(['warn Ollama cannot embed texts: the server does not respond']);
  await fake.control.resume();
  await embedder.check();
});

test(onFake('a check fails before a query times out'), async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  const [startedAt, { checkMs, queryMs }] = [performance.now(), ollamaLimits];
  await fake.control.pause();
  await expect(time.advanceUntil(embedder.check())).rejects.toThrow('the server does not respond');
  await fake.control.resume();
  fake.setFault('hang');
  await expect(time.advanceUntil(embedder.check())).rejects.toThrow('a test embedding is still running');
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2 * checkMs);
  expect(performance.now() - startedAt).toBeLessThan(queryMs);
});

test(
  onFake('a test embedding that takes longer than the check is reported as still running, not as a failure'),
  async () => {
    const { fake, embedder, lines, time } = await openOllama();
    fake.runner.tokenMs = 600;
    const failure: unknown = await time.advanceUntil(embedder.check()).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      ...unavailableError,
      message: 'Embedding service unavailable: a test embedding is still running',
    });
    await time.advanceUntilSuccess(() => embedder.check());
    expect(listEmbedRequests(fake)).toHaveLength(1);
    expect(lines).toEqual([`info The embedding model is ${await embedder.getModelId()}`]);
  },
);

test(onFake('a test embedding that fails after its check is logged once'), async () => {
  const { fake, embedder, lines, time } = await openOllama({ limits: { documentsMs: 3_000 } });
  fake.runner.tokenMs = 800;
  await expect(time.advanceUntil(embedder.check())).rejects.toThrow('a test embedding is still running');
  expect(listWarnings(lines)).toEqual([]);
  await time.advanceUntilSuccess(() =>
    expect(listWarnings(lines)).toEqual([
      'warn Ollama cannot embed texts: the server is busy: no vector was returned within 3000 ms',
    ]),
  );
});

test(onFake('embedding recovers automatically after the server is restarted'), async () => {
  const { fake, embedder, lines } = await openOllama();
  await embedder.embed(['rain'], 'query');
  await fake.control.stop();
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailableError);
  await expect(embedder.check()).rejects.toMatchObject(unavailableError);
  await fake.control.start();
  await embedder.check();
  await embedder.embed(['rain'], 'query');
  expect(lines.slice(1)).toEqual([
    'warn Ollama cannot embed texts: the server does not respond',
    'info Ollama can embed texts again',
  ]);
});

test(onFake('at most four queries run, sixty-four wait, and the next one fails immediately'), async () => {
  const { fake, embedder, lines, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.setFault({ delayMs: 50 });
  const calls = Array.from({ length: 80 }, (_, index) => embedder.embed([`rain ${index}`], 'query'));
  const outcomes = await time.advanceUntil(Promise.allSettled(calls));
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...new Array<string>(68).fill('fulfilled'),
    ...new Array<string>(12).fill('rejected'),
  ]);
  expect(outcomes.at(-1)).toMatchObject({ reason: { ...unavailableError, cause: { kind: 'busy' } } });
  expect(fake.maxConcurrent).toBe(4);
  expect(listWarnings(lines)).toEqual([
    'warn Ollama cannot embed texts: the server is busy: too many texts are waiting',
  ]);
});

test(onFake('queries do not wait behind waiting documents'), async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  fake.setFault({ delayMs: 300 });
  const order: string[] = [];
  const documents = Array.from({ length: 24 }, (_, i) =>
    embedder.embed([`rain ${i}`], 'document').then(() => order.push('document')),
  );
  const queries = Array.from({ length: 7 }, () => embedder.embed(['rain'], 'query').then(() => order.push('query')));
  await time.advanceUntil(Promise.all([...documents, ...queries]));
  // The first document is already in flight; later requests embed the others.
  expect(order.lastIndexOf('query')).toBeLessThan(order.length / 2);
  expect(fake.maxConcurrent).toBe(5);
});

test(onFake('a query that waits too long fails, and is not sent'), async () => {
  const { fake, embedder, time } = await openOllama({ limits: { shortQueryConcurrency: 1 } });
  await warmUp({ embedder, fake });
  fake.setFault('hang');
  const document = expect(embedder.embed(['rain'], 'document')).rejects.toMatchObject(unavailableError);
  const calls = Promise.allSettled(Array.from({ length: 4 }, () => embedder.embed(['rain'], 'query')));
  const outcomes = await time.advanceUntil(calls);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
  expect(listEmbedRequests(fake)).toHaveLength(2);
  await embedder.close();
  await document;
});

test(onFake('five consecutive failures open the breaker, which sends nothing until its trial call'), async () => {
  const { fake, embedder, time } = await openOllama();
  await warmUp({ embedder, fake });
  const countRequests = () => fake.requestsTo('/api/embed').length;
  fake.setFault('failure', 6);
  for (let failure = 1; failure <= 5; failure += 1) {
    await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailableError);
  }
  const openCircuitError = { ...unavailableError, cause: { isBrokenCircuitError: true } };
  await time.advance(ollamaLimits.breakerOpenMs - 1);
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(openCircuitError);
  expect(countRequests()).toBe(5);
  await time.advance(1);
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject({
    ...unavailableError,
    cause: { status: 500 },
  });
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(openCircuitError);
  expect(countRequests()).toBe(6);
  await time.advance(ollamaLimits.breakerOpenMs);
  await embedder.embed(['rain'], 'query');
  await embedder.embed(['rain'], 'query');
  // One of the requests loads the model.
  expect(countRequests()).toBe(9);
});

test(onFake('failures far apart, or with a success in between, do not open the breaker'), async () => {
  const { fake, embedder, time } = await openOllama({ limits: { failuresMax: 3 } });
  await embedder.getModelId();
  const fail = async () => {
    fake.setFault('failure', 1);
    await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject({ cause: { status: 500 } });
  };
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    await fail();
    await time.advance(0.6 * ollamaLimits.failuresWithinMs);
  }
  const otherOllama = await openOllama({ limits: { failuresMax: 3 } });
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    otherOllama.fake.setFault('failure', attempt % 3 ? 1 : 0);
    await otherOllama.embedder.embed(['rain'], 'query').catch(() => undefined);
  }
  await otherOllama.embedder.embed(['rain'], 'query');
});

test(onFake('a rejected text neither opens the breaker nor counts as an outage'), async () => {
  const { fake, embedder, lines } = await openOllama();
  await embedder.check();
  const longText = '- '.repeat(9_000);
  fake.install({ name: 'nomic-embed-text:latest', digest: 'd'.repeat(64), dimension: 768, contextLength: 8 });
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await expect(embedder.embed([longText], 'document')).rejects.toMatchObject({ name: 'TextRejectedError' });
  }
  await embedder.embed(['rain'], 'query');
  expect(listWarnings(lines)).toEqual([]);
});

test(onFake('after the embedder is closed, calls in flight and later calls fail'), async () => {
  const { fake, embedder, lines } = await openOllama();
  await embedder.getModelId();
  fake.setFault('hang');
  const rejection = expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailableError);
  await embedder.close();
  await rejection;
  await expect(embedder.embed(['rain'], 'query')).rejects.toMatchObject(unavailableError);
  await expect(embedder.check()).rejects.toMatchObject(unavailableError);
  expect(listWarnings(lines)).toEqual([]);
});
