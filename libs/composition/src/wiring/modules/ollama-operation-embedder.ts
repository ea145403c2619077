import { createModelOperationEmbedder } from '@portico/domain';
import { cacheQueries } from '@portico/ollama';
import type { Module } from '../parts.ts';

/** The model in Ollama embeds operations, with the lowest priority; the built-in embedder embeds their words. */
export const ollamaOperationEmbedderModule: Module = (provide) => {
  provide('operationEmbedder', ['ollama', 'cache', 'builtIn'], ({ lowPriority }, cache, { operationEmbedder }) =>
    createModelOperationEmbedder({ model: cacheQueries(lowPriority, cache), wordEmbedder: operationEmbedder }),
  );
};
