/** One dependency, asked whether it works. */
export interface Probe {
  readonly name: string;
  /** Whether the service can answer at all without it. */
  readonly essential: boolean;
  /** Rejects while it does not work. */
  check(): Promise<void>;
}
