/** What limits the adapter; each may be set otherwise for a test. */
export interface OllamaLimits {
  /** How long a query may take, all waiting included. */
  readonly queryMs: number;
  /** How long of that it may wait to be sent: one that had no turn by then fails. */
  readonly queryWaitMs: number;
  /** How long documents may take, all waiting included. A call that has less than half of it left is not begun any more. */
  readonly documentsMs: number;
  /** How long a check may take: shorter than who watches the service waits for it. */
  readonly checkMs: number;
  /** Requests for short queries that are under way at once. Of long ones there is one, and one for documents. */
  readonly shortQueries: number;
  /** How long a request for documents is meant to take: a query may wait behind it. */
  readonly documentsRequestMs: number;
  /** Calls that wait for their turn, of short queries and of documents each; one more fails at once. */
  readonly waiting: number;
  /** The same of long queries: as many as may be embedded in time. */
  readonly longWaiting: number;
  /** So many failures in a row within `failuresWithinMs` open a breaker; queries and documents have one each. */
  readonly failures: number;
  readonly failuresWithinMs: number;
  /** After so long an open breaker lets one call through to see. */
  readonly breakMs: number;
  /** How long the model's id is told from memory before the server is asked again. */
  readonly rememberedMs: number;
  /** How long the model may take to be loaded. */
  readonly loadMs: number;
  /** A query waits for a load until it has taken so long; those that come later are refused at once. */
  readonly loadPatienceMs: number;
  /** So long after its last vector the model is taken for loaded: less than the 5 minutes for which Ollama keeps one. */
  readonly loadKnownMs: number;
  /** While the model is being loaded the server is looked at after this, then after twice as long, and so on up to `loadLookMaxMs`. */
  readonly loadLookMs: number;
  readonly loadLookMaxMs: number;
  /** A server that embeds a word within this time is not busy. */
  readonly wordMs: number;
  /** The shortest time between two lines about the progress of a pull. */
  readonly progressMs: number;
  /** A pull that brings nothing for so long has failed. */
  readonly pullSilenceMs: number;
  /** A pull that failed is tried again after this, then after twice as long, and so on up to `pullPauseMaxMs`. */
  readonly pullPauseMs: number;
  readonly pullPauseMaxMs: number;
  /** The shortest time between two lines that say that the server is busy. */
  readonly busyToldMs: number;
}

/**
 * Documents end a second before the 15 s that the port allows to a call, and a load ten before the 5 minutes after which `fetch`
 * gives up an answer that has not begun.
 */
export const ollamaLimits: OllamaLimits = {
  queryMs: 5_000,
  queryWaitMs: 2_500,
  documentsMs: 14_000,
  checkMs: 2_000,
  shortQueries: 4,
  documentsRequestMs: 1_000,
  waiting: 64,
  longWaiting: 4,
  failures: 5,
  failuresWithinMs: 10_000,
  breakMs: 5_000,
  rememberedMs: 60_000,
  loadMs: 290_000,
  loadPatienceMs: 1_500,
  loadKnownMs: 240_000,
  loadLookMs: 1_000,
  loadLookMaxMs: 10_000,
  wordMs: 2_000,
  progressMs: 10_000,
  pullSilenceMs: 240_000,
  pullPauseMs: 5_000,
  pullPauseMaxMs: 300_000,
  busyToldMs: 60_000,
};

/** Texts a request, at most. The server works them one by one, so that larger ones would gain nothing. */
export const batchSize = 16;
