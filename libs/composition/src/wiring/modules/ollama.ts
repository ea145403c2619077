import { cachedQueries, createOllamaEmbedder } from '@portico/ollama';
import { Closable, configured, type Module } from '../parts.ts';

/**
 * Embeddings from a model on an Ollama server. Until everything is embedded with it, searches use the previous model: a
 * built-in one, or the same one by the rules of the earlier version.
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
