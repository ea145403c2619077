import type { Module } from '../parts.ts';
import { builtInEmbedders } from './built-in-embedders.ts';

/** The built-in embedder, and those of earlier versions. */
export const builtInEmbedderModule: Module = (provide) => {
  const [current, ...earlier] = builtInEmbedders();
  provide('embedder', [], () => current);
  provide('earlierEmbedders', [], () => earlier);
};
