/** How calls ended: the class of the response's status, or the error if there was none. */
export const callOutcomes = ['2xx', '3xx', '4xx', '5xx', 'unreachable', 'timed_out', 'rejected'] as const;

export type CallOutcome = (typeof callOutcomes)[number];

/** The calls of this process since it started. */
export interface CallTotals {
  readonly inFlight: number;
  readonly byOutcome: Readonly<Record<CallOutcome, number>>;
  /** The sum of the durations of all calls that ended, in milliseconds. */
  readonly durationMs: number;
}

/** Counts calls for the metrics. */
export interface CallCounter {
  readonly begin: () => void;
  readonly end: (outcome: CallOutcome, durationMs: number) => void;
  readonly getTotals: () => CallTotals;
}

export const createCallCounter = (): CallCounter => {
  const byOutcome = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, unreachable: 0, timed_out: 0, rejected: 0 };
  let inFlight = 0;
  let totalMs = 0;
  return {
    begin() {
      inFlight += 1;
    },
    end(outcome, durationMs) {
      inFlight -= 1;
      byOutcome[outcome] += 1;
      totalMs += durationMs;
    },
    getTotals: () => ({ inFlight, byOutcome: { ...byOutcome }, durationMs: totalMs }),
  };
};

/** Returns the outcome of a response. Other statuses than these do not exist in HTTP. */
export const outcomeOf = (status: number): CallOutcome => {
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
};
