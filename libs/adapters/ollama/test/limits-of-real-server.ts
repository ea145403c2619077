import type { OllamaLimits } from '../src/limits.ts';

/**
 * The limits of an embedder on a real server (`OLLAMA_URL`), which computes in real time: a processor may take seconds
 * for a text, and that is not the adapter's fault. On the stand-in time is stopped, so that the usual limits hold.
 */
export const limitsOfRealServer: Partial<OllamaLimits> = {
  queryMs: 300_000,
  queryWaitMs: 300_000,
  documentsMs: 600_000,
  checkMs: 300_000,
  loadPatienceMs: 300_000,
};
