/** What a process has counted since it began. */
export interface ProbeAnswer {
  readonly cpuNs: number;
  readonly statements: number;
}

/** Set to 1 for a process whose statements are counted. */
export const countingVariable = 'PORTICO_BENCH_STATEMENTS';
