import { createOllamaEmbedder } from '@portico/ollama';
import { Closable, configured, type Module } from '../parts.ts';

/** Embeddings from a model on an Ollama server; searches use a built-in one until everything is embedded with that. */
export const ollamaModule: Module = (provide) => {
  provide('ollama', ['config', 'logger'], ({ ollama }, logger) => {
    const embedder = createOllamaEmbedder({
      ...configured(ollama, 'OLLAMA_URL'),
      log: logger,
    });
    return new Closable(embedder, () => embedder.close());
  });
  provide('embedder', ['ollama'], (ollama) => ollama);
  provide('earlierEmbedders', ['builtIn'], ({ embedders }) => embedders);
};
