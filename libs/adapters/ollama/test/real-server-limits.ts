import type { OllamaLimits } from '../src/limits.ts';

/**
 * The limits of an embedder on a real server (`OLLAMA_URL`), which computes in real time: a processor may take seconds
 * for a text without a fault of the adapter. The stand-in runs in stopped time, with the default limits.
 */
export const realServerLimits: Partial<OllamaLimits> = {
  queryMs: 300_000,
  queryWaitMs: 300_000,
  documentsMs: 600_000,
  checkMs: 300_000,
  loadPatienceMs: 300_000,
};
