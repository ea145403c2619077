import { type FakeOllama, type FakeOllamaOptions, startFakeOllama, stopTime } from '@portico/test-servers';
import type { StoppedTime } from '@portico/test-servers';
import { onTestFinished, vi } from 'vitest';
import { createOllamaEmbedder, type OllamaEmbedder, type OllamaEmbedderOptions } from '../src/index.ts';

export interface OllamaFixture {
  readonly fake: FakeOllama;
  readonly embedder: OllamaEmbedder;
  /** The log messages, each prefixed with its level. */
  readonly lines: string[];
  /** The errors that were logged with the warnings. */
  readonly causes: unknown[];
  /** The time that applies to the embedder and to the fake's model. */
  readonly time: StoppedTime;
}

/** Creates an embedder with a separate fake, in stopped time. Both are closed at the end of the test. */
export const openOllama = async (
  options: Partial<OllamaEmbedderOptions> = {},
  fakeOptions: FakeOllamaOptions = {},
): Promise<OllamaFixture> => {
  const time = timeOfTest();
  const fake = await startFakeOllama(fakeOptions);
  const lines: string[] = [];
  const causes: unknown[] = [];
  const embedder = createOllamaEmbedder({
    url: fake.url,
    model: 'nomic-embed-text',
    pull: false,
    log: {
      debug: (_fields, message) => void (isRepeat(message) || lines.push(`debug ${message}`)),
      info: (_fields, message) => void lines.push(`info ${message}`),
      warn: (fields: { readonly err?: unknown }, message) => {
        lines.push(`warn ${message}`);
        causes.push(fields.err);
      },
      error: (_fields, message) => void lines.push(`error ${message}`),
    },
    ...options,
  });
  onTestFinished(async () => {
    await embedder.close();
    await fake.close();
  });
  return { fake, embedder, lines, causes, time };
};

let time: StoppedTime | null = null;

/** Returns the stopped time, which all embedders in a test share. */
const timeOfTest = (): StoppedTime => {
  if (time) return time;
  const stoppedTime = stopTime(vi);
  time = stoppedTime;
  onTestFinished(() => {
    stoppedTime.restore();
    time = null;
  });
  return stoppedTime;
};

/** Whether the message repeats an ongoing outage. */
const isRepeat = (message: string): boolean => message.startsWith('Ollama cannot embed texts');

/** Loads the model, and clears the requests that were recorded while loading it. */
export const warmUp = async ({ embedder, fake }: Pick<OllamaFixture, 'embedder' | 'fake'>): Promise<void> => {
  await embedder.check();
  fake.requests.length = 0;
};

/** Returns the embed requests so far, without those that only load the model. */
export const listEmbedRequests = (fake: FakeOllama): readonly { readonly input: readonly string[] }[] =>
  fake
    .requestsTo('/api/embed')
    .map((body) => body as unknown as { readonly input: readonly string[] })
    .filter(({ input }) => input.length > 0);
