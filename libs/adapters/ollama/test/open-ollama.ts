import { startOllamaStandIn } from '@portico/test-servers';
import type { OllamaStandIn, OllamaStandInOptions } from '@portico/test-servers';
import { onTestFinished, vi } from 'vitest';
import { createOllamaEmbedder, type OllamaEmbedder, type OllamaEmbedderOptions } from '../src/index.ts';

export interface Opened {
  readonly standIn: OllamaStandIn;
  readonly embedder: OllamaEmbedder;
  /** What was told, each line with its level in front. */
  readonly lines: string[];
  /** The errors that were given along with the warnings. */
  readonly causes: unknown[];
}

/** An embedder on a stand-in of its own; both are closed at the end of the test. */
export const openOllama = async (
  options: Partial<OllamaEmbedderOptions> = {},
  standInOptions: OllamaStandInOptions = {},
): Promise<Opened> => {
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
  return { standIn, embedder, lines, causes };
};

/** Of an outage that goes on. */
const isRepeat = (message: string): boolean => message.startsWith('Ollama does not embed');

/** Tries again until it holds; the test's own time limit is nearer than this one. */
export const until = <T>(holds: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(holds, { timeout: 60_000, interval: 10 });

/** Has the model loaded, and forgets the requests that did so. */
export const warmUp = async ({ embedder, standIn }: Pick<Opened, 'embedder' | 'standIn'>): Promise<void> => {
  await until(() => embedder.check());
  standIn.requests.length = 0;
};

/** The requests to embed so far; one that only loads the model has no text. */
export const embedRequests = (standIn: OllamaStandIn): readonly { readonly input: readonly string[] }[] =>
  standIn
    .asked('/api/embed')
    .map((body) => body as unknown as { readonly input: readonly string[] })
    .filter(({ input }) => input.length > 0);
