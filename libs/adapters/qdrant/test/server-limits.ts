import { type Limits, defaultLimits } from '../src/connect.ts';

/** A server used by tests: the fake, or the one at `QDRANT_URL`. */
export interface Server {
  readonly url: string;
  readonly apiKey?: string | null | undefined;
}

/**
 * The limits for suites that run on both servers in real time: on a slow machine, the default limits would be exceeded
 * through no fault of the adapter. Tests of the limits themselves run in stopped time.
 */
export const serverLimits: Limits = { ...defaultLimits, searchMs: 300_000, bulkMs: 600_000 };
