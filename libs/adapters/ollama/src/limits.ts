/** What limits the adapter; each may be set otherwise for a test. */
export interface OllamaLimits {
  /** How long a query may take, all waiting included. */
  readonly queryMs: number;
  /** How long documents may take, all waiting included. */
  readonly documentsMs: number;
  /** How long a check may take: shorter than who watches the service waits for it. */
  readonly checkMs: number;
  /** Requests to embed that are under way at once. */
  readonly concurrent: number;
  /** How long one of them for documents is meant to take, of which there is one at a time: a query may wait behind it. */
  readonly documentsRequestMs: number;
  /** Calls that wait for their turn, of queries and of documents each; one more fails at once. */
  readonly waiting: number;
  /** So many failures in a row within `failuresWithinMs` open the breaker. */
  readonly failures: number;
  readonly failuresWithinMs: number;
  /** After so long an open breaker lets one call through to see. */
  readonly breakMs: number;
  /** How long the model's id is told from memory before the server is asked again. */
  readonly rememberedMs: number;
  /** The shortest time between two lines about the progress of a pull. */
  readonly progressMs: number;
  /** A pull that says nothing for so long has failed. */
  readonly pullSilenceMs: number;
  /** A pull that failed is tried again after this, then after twice as long, and so on up to `pullPauseMaxMs`. */
  readonly pullPauseMs: number;
  readonly pullPauseMaxMs: number;
}

/** Documents end a second before the 15 s that the port allows to a call. */
export const ollamaLimits: OllamaLimits = {
  queryMs: 5_000,
  documentsMs: 14_000,
  checkMs: 2_000,
  concurrent: 8,
  documentsRequestMs: 2_000,
  waiting: 64,
  failures: 5,
  failuresWithinMs: 10_000,
  breakMs: 5_000,
  rememberedMs: 60_000,
  progressMs: 3_000,
  pullSilenceMs: 240_000,
  pullPauseMs: 5_000,
  pullPauseMaxMs: 300_000,
};

/**
 * Texts a request, at most. The server works them one by one, so that larger ones would gain nothing.
 */
export const batchSize = 16;
