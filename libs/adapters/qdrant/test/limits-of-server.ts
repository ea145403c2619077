import { type Limits, usualLimits } from '../src/connect.ts';

/** A server that tests use: the stand-in, or the one of `QDRANT_URL`. */
export interface Server {
  readonly url: string;
  readonly apiKey?: string | null | undefined;
}

/**
 * The limits of an index in a suite that runs on both, in real time: a slow machine takes seconds for what the usual
 * limits allow one, and that is not the adapter's fault. Tests of the limits themselves run in stopped time.
 */
export const limitsOfServer: Limits = { ...usualLimits, searchMs: 300_000, bulkMs: 600_000 };
