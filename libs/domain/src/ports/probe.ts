/** Checks whether one dependency works. */
export interface Probe {
  readonly name: string;
  /** Whether the service cannot serve requests without the dependency. */
  readonly essential: boolean;
  /** How long a result may be reused, in milliseconds; 1,000 if absent. */
  readonly resultTtlMs?: number;
  /**
   * Whether this process currently works without the dependency; called after a check. If this is absent, the process
   * never does.
   */
  readonly inFallback?: () => boolean;
  /** Rejects while the dependency does not work. */
  check(): Promise<void>;
}
