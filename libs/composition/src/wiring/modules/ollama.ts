import { cachedQueries, createOllamaEmbedder } from '@portico/ollama';
import { Closable, configured, type Module } from '../parts.ts';

/**
 * Embeds with a model on an Ollama server. Until everything is embedded with that model, searches use the previous one:
 * a built-in model, or the same model under the rules of the earlier version.
 */
export const ollamaModule: Module = (provide) => {
  provide('ollama', ['config', 'logger'], ({ ollama }, logger) => {
    const embedder = createOllamaEmbedder({
      ...configured(ollama, 'OLLAMA_URL'),
      log: logger,
    });
    return new Closable(embedder, () => embedder.close());
  });
  provide('embedder', ['ollama', 'cache'], cachedQueries);
  provide('earlierEmbedders', ['builtIn', 'ollama'], ({ embedders }, { earlier }) => [...embedders, earlier]);
};
