import type { OllamaLimits } from '../src/limits.ts';

/**
 * The limits for an embedder that uses a real server (`OLLAMA_URL`), which computes in real time: a processor may take
 * seconds to embed a text, through no fault of the adapter. The fake runs in stopped time, with the default limits.
 */
export const realServerLimits: Partial<OllamaLimits> = {
  queryMs: 300_000,
  queryWaitMs: 300_000,
  documentsMs: 600_000,
  checkMs: 300_000,
  loadPatienceMs: 300_000,
};
