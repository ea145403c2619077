import type { Module } from '../parts.ts';

/** The default: the built-in embedder also embeds operations, in milliseconds per collection. */
export const builtInOperationEmbedderModule: Module = (provide) => {
  provide('operationEmbedder', ['builtIn'], ({ operationEmbedder }) => operationEmbedder);
};
