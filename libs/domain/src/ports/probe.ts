/** Checks whether one dependency works. */
export interface Probe {
  readonly name: string;
  /** Whether the service cannot answer without it. */
  readonly essential: boolean;
  /** For how many milliseconds an answer may be reused; 1,000 if absent. */
  readonly keptMs?: number;
  /** Whether this process does its work by itself at present; asked after a check. Never, where it is absent. */
  readonly inFallback?: () => boolean;
  /** Rejects while it does not work. */
  check(): Promise<void>;
}
