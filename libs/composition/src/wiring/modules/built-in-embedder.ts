import type { Module } from '../parts.ts';

/** The built-in embedder, and the embedders of earlier versions. */
export const builtInEmbedderModule: Module = (provide) => {
  provide('embedder', ['builtIn'], ({ embedders: [currentEmbedder] }) => currentEmbedder);
  provide('earlierEmbedders', ['builtIn'], ({ embedders: [, ...earlierEmbedders] }) => earlierEmbedders);
};
