import type { OperationKey } from '../ids.ts';
import type { Instant } from '../instant.ts';

/** The level that a rule of changes has for a collection; `ignore`: its changes are not listed. */
export type PolicyLevel = 'breaking' | 'warning' | 'info' | 'ignore';

export const policyLevels = ['breaking', 'warning', 'info', 'ignore'] as const satisfies readonly PolicyLevel[];

/** A change that counts as `info` until its end date, because callers expect it or none is affected. */
export interface ExpectedChange {
  readonly rule: string;
  /** Only changes of this operation; null for any. */
  readonly operationKey: OperationKey | null;
  /** Only the change with this fingerprint; null for any. */
  readonly fingerprint: string | null;
  readonly reason: string;
  /** When it is no longer expected. */
  readonly until: Instant;
}

/** How a collection's changes are rated, besides the rules' own levels (extensions, section 8). */
export interface ChangePolicy {
  /** By rule id. */
  readonly levels: Readonly<Record<string, PolicyLevel>>;
  readonly expected: readonly ExpectedChange[];
}

export const emptyChangePolicy: ChangePolicy = { levels: {}, expected: [] };

// The maximum numbers of rules with a level, and of expected changes.
export const policyLevelsMax = 200;
export const expectedChangesMax = 200;

/** The maximum length of a rule's id, in characters. */
export const ruleIdMax = 100;

/** The maximum length of a reason, in characters (Unicode code points), after trimming. */
export const expectedReasonMax = 500;

/** How far in the future an expected change may end, in days. */
export const expectedDaysMax = 400;
