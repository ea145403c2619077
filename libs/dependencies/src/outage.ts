import type { Log } from './log.ts';

/** The log entry for the beginning of an outage. */
export interface OutageStart {
  /** The message, which describes the failure and its effect. */
  readonly message: string;
  /** The kind of the reason. If it changes, the outage is logged again. */
  readonly kind?: string;
  /** The log level, `warn` by default. */
  readonly level?: 'info' | 'warn' | 'error';
  readonly fields?: object;
}

/** Tracks whether a dependency is unavailable. */
export interface Outage {
  /** The kind of the current outage; null while the dependency is available. */
  readonly kind: string | null;
  start(start: OutageStart): void;
  end(): void;
}

/**
 * Creates an outage that is logged once when it begins and once, with its duration, when it ends. Repeats are logged at
 * `debug`.
 */
export const createOutage = (
  log: Log,
  { recoveryMessage, fields = {} }: { readonly recoveryMessage: string; readonly fields?: object },
): Outage => {
  let kind: string | null = null;
  let since = 0;
  return {
    get kind() {
      return kind;
    },
    start({ message, kind: newKind = 'unavailable', level = 'warn', fields: extraFields }) {
      const isRepeat = kind === newKind;
      if (kind === null) since = performance.now();
      kind = newKind;
      log[isRepeat ? 'debug' : level]({ ...fields, ...extraFields }, message);
    },
    end() {
      if (kind === null) return;
      kind = null;
      log.info({ ...fields, outageSeconds: Math.round((performance.now() - since) / 1_000) }, recoveryMessage);
    },
  };
};
