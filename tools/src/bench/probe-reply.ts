/** A process's counts since its start. */
export interface ProbeReply {
  readonly cpuNs: number;
  readonly statements: number;
}

/** Set to 1 to count the statements of a process. */
export const countingVariable = 'PORTICO_BENCH_STATEMENTS';
