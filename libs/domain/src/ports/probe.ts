/** One dependency, asked whether it works. */
export interface Probe {
  readonly name: string;
  /** Whether the service can answer at all without it. */
  readonly essential: boolean;
  /** For how many milliseconds an answer may be told again; 1,000 where it is absent. */
  readonly keptMs?: number;
  /** Whether this process does its work by itself at present; asked after a check. Never, where it is absent. */
  readonly inFallback?: () => boolean;
  /** Rejects while it does not work. */
  check(): Promise<void>;
}
