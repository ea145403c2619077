export * from './ollama-embedder.ts';
export { ollamaLimits, type OllamaLimits } from './limits.ts';
