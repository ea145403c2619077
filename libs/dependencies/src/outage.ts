import type { Log } from './log.ts';

/** What is logged when an outage begins. */
export interface OutageBegin {
  /** What failed, and what follows from it. */
  readonly message: string;
  /** An outage whose reason changes to another kind is logged again. */
  readonly kind?: string;
  /** `warn` by default. */
  readonly level?: 'info' | 'warn' | 'error';
  readonly fields?: object;
}

/** A dependency that may be away. */
export interface Outage {
  /** Why it is away; null while it works. */
  readonly kind: string | null;
  begin(begin: OutageBegin): void;
  end(): void;
}

/** Logs once that a dependency is away, and once that it is back and after how long. Repeats are logged at `debug`. */
export const createOutage = (
  log: Log,
  { back, fields = {} }: { readonly back: string; readonly fields?: object },
): Outage => {
  let kind: string | null = null;
  let since = 0;
  return {
    get kind() {
      return kind;
    },
    begin({ message, kind: begun = 'away', level = 'warn', fields: more }) {
      const isRepeat = kind === begun;
      if (kind === null) since = performance.now();
      kind = begun;
      log[isRepeat ? 'debug' : level]({ ...fields, ...more }, message);
    },
    end() {
      if (kind === null) return;
      kind = null;
      log.info({ ...fields, awaySeconds: Math.round((performance.now() - since) / 1_000) }, back);
    },
  };
};
