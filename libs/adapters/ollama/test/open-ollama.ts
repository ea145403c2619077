import { type OllamaStandIn, type OllamaStandInOptions, startOllamaStandIn, stopTime } from '@portico/test-servers';
import type { StoppedTime } from '@portico/test-servers';
import { onTestFinished, vi } from 'vitest';
import { createOllamaEmbedder, type OllamaEmbedder, type OllamaEmbedderOptions } from '../src/index.ts';

export interface Opened {
  readonly standIn: OllamaStandIn;
  readonly embedder: OllamaEmbedder;
  /** The log lines, each with its level in front. */
  readonly lines: string[];
  /** The errors logged with the warnings. */
  readonly causes: unknown[];
  /** That of the embedder, and of the stand-in's model. */
  readonly time: StoppedTime;
}

/** An embedder on a stand-in of its own, in stopped time; both are closed at the end of the test. */
export const openOllama = async (
  options: Partial<OllamaEmbedderOptions> = {},
  standInOptions: OllamaStandInOptions = {},
): Promise<Opened> => {
  const time = timeOfTest();
  const standIn = await startOllamaStandIn(standInOptions);
  const lines: string[] = [];
  const causes: unknown[] = [];
  const embedder = createOllamaEmbedder({
    url: standIn.url,
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
    await standIn.close();
  });
  return { standIn, embedder, lines, causes, time };
};

let time: StoppedTime | null = null;

/** A test that opens several embedders has one time. */
const timeOfTest = (): StoppedTime => {
  if (time) return time;
  const stopped = stopTime(vi);
  time = stopped;
  onTestFinished(() => {
    stopped.goOn();
    time = null;
  });
  return stopped;
};

/** Whether the line repeats an ongoing outage. */
const isRepeat = (message: string): boolean => message.startsWith('Ollama does not embed');

/** Loads the model, and forgets the requests for that. */
export const warmUp = async ({ embedder, standIn }: Pick<Opened, 'embedder' | 'standIn'>): Promise<void> => {
  await embedder.check();
  standIn.requests.length = 0;
};

/** The requests to embed so far, without those that only load the model. */
export const embedRequests = (standIn: OllamaStandIn): readonly { readonly input: readonly string[] }[] =>
  standIn
    .asked('/api/embed')
    .map((body) => body as unknown as { readonly input: readonly string[] })
    .filter(({ input }) => input.length > 0);
