import type { Config } from '../../config.ts';
import { knownInstallationId } from '../../wiring/installation-id.ts';
import { checkStores } from '../check-stores.ts';
import { ok, warning, wrong, type Check } from '../check.ts';
import { responseMs } from '../examination.ts';
import { reasonOf, sentence } from '../run-checks.ts';

const withoutQdrant = ({ qdrant }: Config) => (qdrant === null ? 'QDRANT_URL is not set.' : null);
const withoutOllama = ({ ollama }: Config) => (ollama === null ? 'OLLAMA_URL is not set.' : null);

export const searchChecks: readonly Check[] = [
  {
    id: 'qdrant.access',
    needs: ['configuration'],
    findSkipReason: withoutQdrant,
    execute: async ({ qdrant }) => {
      try {
        await qdrant();
        return ok('Qdrant responds.');
      } catch (error) {
        const { kind } = error as { readonly kind?: string };
        return wrong(sentence(`Qdrant cannot be used: ${reasonOf(error)}`), qdrantAdvice[kind ?? ''] ?? startQdrant);
      }
    },
    advice: 'Start Qdrant, or correct QDRANT_URL.',
  },
  {
    id: 'qdrant.vectors',
    needs: ['qdrant.access', 'database.tables'],
    findSkipReason: withoutQdrant,
    execute: checkStores(
      async ({ settings }, { qdrant }) => {
        const installation = await knownInstallationId(settings);
        const unusable = installation === null ? [] : await (await qdrant()).unusableCollections(installation);
        if (unusable.length === 0) return ok('The vectors in Qdrant fit this version.');
        return unusable.map(({ name, reason }) =>
          warning(`The collection ${name} in Qdrant cannot be used: ${reason}.`, 'Run "portico index rebuild".'),
        );
      },
      () => ok('There are no vectors yet.'),
    ),
    advice: 'Run "portico index rebuild".',
  },
  {
    id: 'ollama.access',
    needs: ['configuration'],
    findSkipReason: withoutOllama,
    execute: async ({ hasModel }) => {
      try {
        await hasModel();
        return ok('Ollama responds.');
      } catch (error) {
        return wrong(sentence(`Ollama cannot be used: ${ollamaReason(error)}`), 'Start Ollama, or correct OLLAMA_URL.');
      }
    },
    advice: 'Start Ollama, or correct OLLAMA_URL.',
  },
  {
    id: 'ollama.model',
    needs: ['ollama.access'],
    findSkipReason: withoutOllama,
    execute: async ({ config, hasModel }) => {
      const { model = '', pull = true } = config().ollama ?? {};
      if (await hasModel()) return ok(`Ollama has the model ${model}.`);
      const message = `Ollama does not have the model ${model}, so nothing is embedded with it.`;
      const advice = `Run "ollama pull ${model}" on its machine`;
      return pull
        ? warning(message, `${advice}, or leave it to the service, which pulls it at its start.`)
        : wrong(message, `${advice}, or remove OLLAMA_PULL=false.`);
    },
    advice: 'Check "ollama list".',
  },
];

const startQdrant = 'Start Qdrant, or correct QDRANT_URL. Meanwhile the database answers searches.';
/** Advice by the kind of `QdrantFailure`. */
const qdrantAdvice: Readonly<Record<string, string>> = {
  key: 'Set QDRANT_API_KEY to the key of the server.',
  rejected: 'Use Qdrant 1.16 or newer.',
};

const ollamaReason = (error: unknown): string =>
  error instanceof DOMException && error.name === 'TimeoutError'
    ? `no response within ${responseMs / 1_000} s`
    : reasonOf(error);
