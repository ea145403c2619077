import type { Module } from '../parts.ts';

/** The default: the built-in embedder embeds operations too, in milliseconds per collection. */
export const builtInOperationEmbedderModule: Module = (provide) => {
  provide('operationEmbedder', ['builtIn'], ({ operationEmbedder }) => operationEmbedder);
};
