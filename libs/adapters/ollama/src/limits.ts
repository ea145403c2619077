/** The adapter's limits; tests may override each. */
export interface OllamaLimits {
  /** How long a query may take, waiting included. */
  readonly queryMs: number;
  /** How long of that it may wait to be sent, before it fails. */
  readonly queryWaitMs: number;
  /** How long a call for documents may take, waiting included. */
  readonly documentsMs: number;
  /** How long the request for a piece of a document may take: longer than its caller waits, as its vector is kept. */
  readonly pieceMs: number;
  /** How long a check may take: less than the timeout of whoever monitors the service. */
  readonly checkMs: number;
  /** Concurrent requests for short queries. Long queries get one, pieces of documents another. */
  readonly shortQueries: number;
  /** How long a piece waits while there are queries. */
  readonly pieceWaitMs: number;
  /** How long a piece that waits behind others does so. */
  readonly behindMs: number;
  /** Texts that may wait, of short queries and of documents each; one more fails at once. */
  readonly waiting: number;
  /** The same for long queries: as many as can be embedded in time. */
  readonly longWaiting: number;
  /** This many consecutive failures within `failuresWithinMs` open a breaker; queries and documents have one each. */
  readonly failures: number;
  readonly failuresWithinMs: number;
  /** After this, an open breaker lets one call through as a trial. */
  readonly breakMs: number;
  /** How long the model's id is cached. */
  readonly rememberedMs: number;
  /** How long a load of the model may take. */
  readonly loadMs: number;
  /** A query waits for a load of up to this age; later ones fail at once. */
  readonly loadPatienceMs: number;
  /** How long after its last vector the model counts as loaded: less than the 5 minutes for which Ollama keeps it. */
  readonly loadKnownMs: number;
  /** While the model loads, the server is checked after this, then with backoff up to `loadLookMaxMs`. */
  readonly loadLookMs: number;
  readonly loadLookMaxMs: number;
  /** The shortest time between two log lines about a pull's progress. */
  readonly progressMs: number;
  /** A pull without progress for this long has failed. */
  readonly pullSilenceMs: number;
  /** A failed pull is retried after this, with backoff up to `pullPauseMaxMs`. */
  readonly pullPauseMs: number;
  readonly pullPauseMaxMs: number;
  /** The shortest time between two log lines about a busy server. */
  readonly busyToldMs: number;
}

/**
 * Documents end a second before the 15 s that the port allows a call, and a load ten seconds before the 5 minutes after
 * which `fetch` gives up on a response that has not started.
 */
export const ollamaLimits: OllamaLimits = {
  queryMs: 5_000,
  queryWaitMs: 2_500,
  documentsMs: 14_000,
  pieceMs: 60_000,
  checkMs: 2_000,
  shortQueries: 4,
  pieceWaitMs: 1_000,
  behindMs: 4_000,
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
  progressMs: 10_000,
  pullSilenceMs: 240_000,
  pullPauseMs: 5_000,
  pullPauseMaxMs: 300_000,
  busyToldMs: 60_000,
};
