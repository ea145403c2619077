import type { OperationKey } from '../ids.ts';
import type { Instant } from '../instant.ts';

/**
 * How a change affects a caller that follows the earlier document: `breaking` if its requests may be rejected or it may
 * receive responses that it cannot read, `warning` if that depends on the caller, and `info` otherwise.
 */
export type ChangeLevel = 'breaking' | 'warning' | 'info';

/** From the most to the least important. */
export const changeLevels = ['breaking', 'warning', 'info'] as const satisfies readonly ChangeLevel[];

/** One difference between two documents that callers may notice (extensions, section 8). */
export interface Change {
  /** The rule that found it. Ids are stable: those of oasdiff where it has such a rule. */
  readonly rule: string;
  readonly level: ChangeLevel;
  /** Null if the change concerns the whole document. */
  readonly operation: ChangedOperation | null;
  /**
   * The position in the operation, such as `request body application/json /items/price`; `''` for the operation
   * itself.
   */
  readonly place: string;
  /** One sentence in plain text. */
  readonly text: string;
  /**
   * A value as JSON text, if a schema has changed: in a request, one that was valid and is not any more; in a response,
   * one that was not valid and now is. Null if there is none.
   */
  readonly example: string | null;
  /** Identifies the change among others: 12 hexadecimal digits. The same change of other versions has the same. */
  readonly fingerprint: string;
  /** Why the change is `info`, and until when, if the collection's policy expects it. */
  readonly expected?: { readonly reason: string; readonly until: Instant };
}

export interface ChangedOperation {
  readonly key: OperationKey;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
}

export type ChangeCounts = Readonly<Record<ChangeLevel, number>>;

/** The differences between two documents. */
export interface Comparison {
  /** By level, then in the documents' order; at most `changesMax`. */
  readonly changes: readonly Change[];
  /** The numbers of all changes. */
  readonly counts: ChangeCounts;
}

/** The maximum number of changes that a comparison lists. */
export const changesMax = 2_000;
