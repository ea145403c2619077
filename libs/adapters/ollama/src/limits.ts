/** The adapter's limits; tests may override each. */
export interface OllamaLimits {
  /** The timeout of a query, including the time in the queue. */
  readonly queryMs: number;
  /** The longest time that a query waits to be sent, before it fails. */
  readonly queryWaitMs: number;
  /** The timeout of a call for documents, including the time in the queue. */
  readonly documentsMs: number;
  /** The timeout of a request for a piece: longer than its caller waits, because the vector is cached. */
  readonly pieceMs: number;
  /** The timeout of a check: shorter than that of monitoring systems. */
  readonly checkMs: number;
  /** Concurrent requests for short queries. Long queries get one, pieces of documents another. */
  readonly shortQueries: number;
  /** The longest time that a piece waits for queries. */
  readonly pieceWaitMs: number;
  /** The longest time that a low-priority piece waits for queries and other pieces. */
  readonly lowPriorityWaitMs: number;
  /** The maximum number of waiting texts, for short queries and for documents each. Further texts fail immediately. */
  readonly waitingMax: number;
  /** The same for long queries: as many as can be embedded in time. */
  readonly longWaitingMax: number;
  /** This many consecutive failures within `failuresWithinMs` open a breaker. Queries and documents have one each. */
  readonly failuresMax: number;
  readonly failuresWithinMs: number;
  /** After this time, an open breaker lets one trial call through. */
  readonly breakerOpenMs: number;
  /** How long the model's id is cached. */
  readonly modelIdMaxAgeMs: number;
  /** The timeout of a load of the model. */
  readonly loadMs: number;
  /** A query waits for a load up to this age, and fails immediately if the load is older. */
  readonly loadPatienceMs: number;
  /** How long after a vector the model counts as loaded: less than the 5 minutes after which Ollama unloads it. */
  readonly assumeLoadedMs: number;
  /** While the model loads, the server is checked after this time, then with backoff up to `loadCheckMaxMs`. */
  readonly loadCheckMs: number;
  readonly loadCheckMaxMs: number;
  /** The shortest time between two log lines about a pull's progress. */
  readonly progressLogIntervalMs: number;
  /** A pull without progress for this long has failed. */
  readonly pullStallMs: number;
  /** A failed pull is retried after this time, with backoff up to `pullPauseMaxMs`. */
  readonly pullPauseMs: number;
  readonly pullPauseMaxMs: number;
  /** The shortest time between two log lines about a busy server. */
  readonly busyLogIntervalMs: number;
}

/**
 * Documents time out a second before the 15 s that the port allows for a call, and a load times out ten seconds before
 * `fetch` does, after 5 minutes without the beginning of a response.
 */
export const ollamaLimits: OllamaLimits = {
  queryMs: 5_000,
  queryWaitMs: 2_500,
  documentsMs: 14_000,
  pieceMs: 60_000,
  checkMs: 2_000,
  shortQueries: 4,
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
