/** The counts of a process since it started. */
export interface ProbeReply {
  readonly cpuNs: number;
  readonly statements: number;
}

/** The environment variable that is set to 1 to count a process's statements. */
export const countingVariable = 'PORTICO_BENCH_STATEMENTS';
