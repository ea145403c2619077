/** Checks whether one dependency works. */
export interface Probe {
  readonly name: string;
  /** Whether the service cannot answer without it. */
  readonly essential: boolean;
  /** For how many milliseconds an answer may be reused; 1,000 if absent. */
  readonly keptMs?: number;
  /** Whether this process currently works without the dependency; asked after a check. Absent: never. */
  readonly inFallback?: () => boolean;
  /** Rejects while it does not work. */
  check(): Promise<void>;
}
