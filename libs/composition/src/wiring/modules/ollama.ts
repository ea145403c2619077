import { createOllamaEmbedder } from '@portico/ollama';
import { Closable, configured, type Module } from '../parts.ts';

/** Embeddings of a model that an Ollama server runs. */
export const ollamaModule: Module = (provide) => {
  provide('embedder', ['config', 'logger'], ({ ollama }, logger) => {
    const embedder = createOllamaEmbedder({
      ...configured(ollama, 'OLLAMA_URL'),
      log: logger,
    });
    return new Closable(embedder, () => embedder.close());
  });
};
