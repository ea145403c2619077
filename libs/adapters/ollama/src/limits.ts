/** The adapter's limits; tests may override each of them. */
export interface OllamaLimits {
  /** The timeout of a query, including the time that it spends in the queue. */
  readonly queryMs: number;
  /** The maximum time that a query waits to be sent before it fails. */
  readonly queryWaitMs: number;
  /** The timeout of a call that embeds documents, including the time in the queue. */
  readonly documentsMs: number;
  /** The timeout of a request for a piece. It is longer than the caller waits, because the vector is cached. */
  readonly pieceMs: number;
  /** The timeout of a check, which is shorter than the timeouts of monitoring systems. */
  readonly checkMs: number;
  /**
   * The number of concurrent requests for short queries. There is one more for long queries, and one for pieces of
   * documents.
   */
  readonly shortQueryConcurrency: number;
  /** The maximum time that a piece waits for queries. */
  readonly pieceWaitMs: number;
  /** The maximum time that a low-priority piece waits for queries and other pieces. */
  readonly lowPriorityWaitMs: number;
  /**
   * The maximum number of waiting texts, separately for short queries and for documents. Further texts fail
   * immediately.
   */
  readonly waitingMax: number;
  /** The maximum number of waiting long queries: as many as can be embedded in time. */
  readonly longWaitingMax: number;
  /**
   * The number of consecutive failures within `failuresWithinMs` that opens a circuit breaker. Queries and documents
   * have separate breakers.
   */
  readonly failuresMax: number;
  readonly failuresWithinMs: number;
  /** After this time, an open breaker lets one trial call through. */
  readonly breakerOpenMs: number;
  /** How long the model's id is cached. */
  readonly modelIdMaxAgeMs: number;
  /** The timeout for loading the model. */
  readonly loadMs: number;
  /** The maximum age of a load that a query waits for. If the load is older, the query fails immediately. */
  readonly loadPatienceMs: number;
  /**
   * How long the model is assumed to be loaded after it has computed a vector: less than the 5 minutes after which
   * Ollama unloads it.
   */
  readonly assumeLoadedMs: number;
  /**
   * While the model is loading, the server is checked after this time, then with a backoff of up to `loadCheckMaxMs`.
   */
  readonly loadCheckMs: number;
  readonly loadCheckMaxMs: number;
  /** The minimum time between two log messages about a pull's progress. */
  readonly progressLogIntervalMs: number;
  /** The time without progress after which a pull is considered failed. */
  readonly pullStallMs: number;
  /** The pause before a failed pull is retried, with a backoff of up to `pullPauseMaxMs`. */
  readonly pullPauseMs: number;
  readonly pullPauseMaxMs: number;
  /** The minimum time between two log messages about a busy server. */
  readonly busyLogIntervalMs: number;
}

/**
 * The default limits. Documents time out a second before the 15 s that the port allows for a call. A load times out ten
 * seconds before `fetch` does, which waits 5 minutes for the beginning of a response.
 */
export const ollamaLimits: OllamaLimits = {
  queryMs: 5_000,
  queryWaitMs: 2_500,
  documentsMs: 14_000,
  pieceMs: 60_000,
  checkMs: 2_000,
  shortQueryConcurrency: 4,
  pieceWaitMs: 1_000,
  lowPriorityWaitMs: 4_000,
  waitingMax: 64,
  longWaitingMax: 4,
  failuresMax: 5,
  failuresWithinMs: 10_000,
  breakerOpenMs: 5_000,
  modelIdMaxAgeMs: 60_000,
  loadMs: 290_000,
  loadPatienceMs: 1_500,
  assumeLoadedMs: 240_000,
  loadCheckMs: 1_000,
  loadCheckMaxMs: 10_000,
  progressLogIntervalMs: 10_000,
  pullStallMs: 240_000,
  pullPauseMs: 5_000,
  pullPauseMaxMs: 300_000,
  busyLogIntervalMs: 60_000,
};
