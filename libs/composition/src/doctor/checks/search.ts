import type { Config } from '../../config.ts';
import { knownInstallationId } from '../../wiring/installation-id.ts';
import { askingStores } from '../asking-stores.ts';
import { ok, warning, wrong, type Check } from '../check.ts';
import { answerMs } from '../examination.ts';
import { reasonOf, sentence } from '../run-checks.ts';

const withoutQdrant = ({ qdrant }: Config) => (qdrant === null ? 'QDRANT_URL is not set.' : null);
const withoutOllama = ({ ollama }: Config) => (ollama === null ? 'OLLAMA_URL is not set.' : null);

export const searchChecks: readonly Check[] = [
  {
    id: 'qdrant.access',
    needs: ['configuration'],
    isIdle: withoutQdrant,
    ask: async ({ qdrant }) => {
      try {
        await qdrant();
        return ok('Qdrant answers.');
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
    isIdle: withoutQdrant,
    ask: askingStores(
      async ({ settings }, { qdrant }) => {
        const installation = await knownInstallationId(settings);
        const unfit = installation === null ? [] : await (await qdrant()).unfit(installation);
        if (unfit.length === 0) return ok('The vectors in Qdrant fit this version.');
        return unfit.map(({ name, why }) =>
          warning(`The collection ${name} in Qdrant cannot be used: ${why}.`, 'Run "portico index rebuild".'),
        );
      },
      () => ok('There are no vectors yet.'),
    ),
    advice: 'Run "portico index rebuild".',
  },
  {
    id: 'ollama.access',
    needs: ['configuration'],
    isIdle: withoutOllama,
    ask: async ({ hasModel }) => {
      try {
        await hasModel();
        return ok('Ollama answers.');
      } catch (error) {
        return wrong(sentence(`Ollama cannot be used: ${ollamaReason(error)}`), 'Start Ollama, or correct OLLAMA_URL.');
      }
    },
    advice: 'Start Ollama, or correct OLLAMA_URL.',
  },
  {
    id: 'ollama.model',
    needs: ['ollama.access'],
    isIdle: withoutOllama,
    ask: async ({ config, hasModel }) => {
      const { model = '', pull = true } = config().ollama ?? {};
      if (await hasModel()) return ok(`Ollama has the model ${model}.`);
      const said = `Ollama does not have the model ${model}, so nothing is embedded with it.`;
      const advice = `Run "ollama pull ${model}" on its machine`;
      return pull
        ? warning(said, `${advice}, or leave it to the service, which pulls it at its start.`)
        : wrong(said, `${advice}, or remove OLLAMA_PULL=false.`);
    },
    advice: 'Look at "ollama list".',
  },
];

const startQdrant = 'Start Qdrant, or correct QDRANT_URL. Meanwhile the database answers searches.';
/** By the kind of `QdrantFailure`. */
const qdrantAdvice: Readonly<Record<string, string>> = {
  key: 'Set QDRANT_API_KEY to the key of the server.',
  refused: 'Use Qdrant 1.16 or newer.',
};

const ollamaReason = (error: unknown): string =>
  error instanceof DOMException && error.name === 'TimeoutError'
    ? `no answer within ${answerMs / 1_000} s`
    : reasonOf(error);
