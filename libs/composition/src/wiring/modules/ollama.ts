import { cacheQueries, createOllamaEmbedder } from '@portico/ollama';
import { Closable, requireSetting, type Module } from '../parts.ts';

/**
 * Embeds with a model on an Ollama server. Until everything is embedded with that model, searches use the previous one:
 * a built-in model, or the same model with the rules of the earlier version.
 */
export const ollamaModule: Module = (provide) => {
  provide('ollama', ['config', 'logger'], ({ ollama }, logger) => {
    const embedder = createOllamaEmbedder({
      ...requireSetting(ollama, 'OLLAMA_URL'),
      log: logger,
    });
    return new Closable(embedder, () => embedder.close());
  });
  provide('embedder', ['ollama', 'cache'], cacheQueries);
  provide('earlierEmbedders', ['builtIn', 'ollama'], ({ embedders }, { previousVersion }) => [
    ...embedders,
    previousVersion,
  ]);
};
