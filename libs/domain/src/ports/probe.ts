/** Checks whether one dependency works. */
export interface Probe {
  readonly name: string;
  /** Whether the service cannot answer requests without it. */
  readonly essential: boolean;
  /** How long an answer may be reused, in milliseconds; 1,000 if absent. */
  readonly keptMs?: number;
  /** Whether this process currently works without the dependency; called after a check. Absent: never. */
  readonly inFallback?: () => boolean;
  /** Rejects while it does not work. */
  check(): Promise<void>;
}
