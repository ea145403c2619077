import { createModelOperationEmbedder } from '@portico/domain';
import { cachedQueries } from '@portico/ollama';
import type { Module } from '../parts.ts';

/** Operations are embedded by the model in Ollama, behind everything else, and their words by the built-in embedder. */
export const ollamaOperationEmbedderModule: Module = (provide) => {
  provide('operationEmbedder', ['ollama', 'cache', 'builtIn'], ({ behind }, cache, { operationEmbedder }) =>
    createModelOperationEmbedder({ model: cachedQueries(behind, cache), words: operationEmbedder }),
  );
};
