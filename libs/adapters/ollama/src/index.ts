export { cacheQueries } from './cache-queries.ts';
export { hasModel } from './has-model.ts';
export * from './ollama-embedder.ts';
export { ollamaLimits, type OllamaLimits } from './limits.ts';
