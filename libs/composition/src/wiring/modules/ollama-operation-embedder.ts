import { createModelOperationEmbedder } from '@portico/domain';
import type { Module } from '../parts.ts';

/** Operations are embedded by the model in Ollama, behind everything else, and their words by the built-in embedder. */
export const ollamaOperationEmbedderModule: Module = (provide) => {
  provide('operationEmbedder', ['ollama', 'builtIn'], ({ behind }, { operationEmbedder }) =>
    createModelOperationEmbedder({ model: behind, words: operationEmbedder }),
  );
};
