import type { Config } from '../../config.ts';
import { readInstallationId } from '../../wiring/installation-id.ts';
import { checkStores } from '../check-stores.ts';
import { pass, warn, fail, type Check } from '../check.ts';
import { responseTimeoutMs } from '../examination.ts';
import { reasonOf, toSentence } from '../run-checks.ts';

const skipWithoutQdrant = ({ qdrant }: Config) => (qdrant === null ? 'QDRANT_URL is not set.' : null);
const skipWithoutOllama = ({ ollama }: Config) => (ollama === null ? 'OLLAMA_URL is not set.' : null);

export const searchChecks: readonly Check[] = [
  {
    id: 'qdrant.access',
    needs: ['configuration'],
    findSkipReason: skipWithoutQdrant,
    execute: async ({ getQdrant }) => {
      try {
        await getQdrant();
        return pass('Qdrant responds.');
      } catch (error) {
        const { kind } = error as { readonly kind?: string };
        return fail(toSentence(`Qdrant cannot be used: ${reasonOf(error)}`), qdrantAdvice[kind ?? ''] ?? startQdrant);
      }
    },
    advice: 'Start Qdrant, or correct QDRANT_URL.',
  },
  {
    id: 'qdrant.vectors',
    needs: ['qdrant.access', 'database.tables'],
    findSkipReason: skipWithoutQdrant,
    execute: checkStores(
      async ({ settings }, { getQdrant }) => {
        const installation = await readInstallationId(settings);
        const unusableCollections =
          installation === null ? [] : await (await getQdrant()).listUnusableCollections(installation);
        if (unusableCollections.length === 0) return pass('The vectors in Qdrant match this version.');
        return unusableCollections.map(({ name, reason }) =>
          warn(`The collection ${name} in Qdrant cannot be used: ${reason}.`, 'Run "portico index rebuild".'),
        );
      },
      () => pass('There are no vectors yet.'),
    ),
    advice: 'Run "portico index rebuild".',
  },
  {
    id: 'ollama.access',
    needs: ['configuration'],
    findSkipReason: skipWithoutOllama,
    execute: async ({ hasModel }) => {
      try {
        await hasModel();
        return pass('Ollama responds.');
      } catch (error) {
        return fail(
          toSentence(`Ollama cannot be used: ${ollamaReasonOf(error)}`),
          'Start Ollama, or correct OLLAMA_URL.',
        );
      }
    },
    advice: 'Start Ollama, or correct OLLAMA_URL.',
  },
  {
    id: 'ollama.model',
    needs: ['ollama.access'],
    findSkipReason: skipWithoutOllama,
    execute: async ({ getConfig, hasModel }) => {
      const { model = '', pull = true } = getConfig().ollama ?? {};
      if (await hasModel()) return pass(`Ollama has the model ${model}.`);
      const message = `Ollama does not have the model ${model}, so nothing is embedded with it.`;
      const advice = `Run "ollama pull ${model}" on its machine`;
      return pull
        ? warn(message, `${advice}, or leave it to the service, which pulls it when it starts.`)
        : fail(message, `${advice}, or remove OLLAMA_PULL=false.`);
    },
    advice: 'Check "ollama list".',
  },
];

const startQdrant = 'Start Qdrant, or correct QDRANT_URL. Until then, searches use the database.';
/** Advice by the kind of `QdrantFailure`. */
const qdrantAdvice: Readonly<Record<string, string>> = {
  key: 'Set QDRANT_API_KEY to the key of the server.',
  rejected: 'Use Qdrant 1.16 or newer.',
};

const ollamaReasonOf = (error: unknown): string =>
  error instanceof DOMException && error.name === 'TimeoutError'
    ? `no response within ${responseTimeoutMs / 1_000} s`
    : reasonOf(error);
