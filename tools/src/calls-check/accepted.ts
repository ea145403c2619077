import type { FactName } from './checks.ts';

/** A difference that is right, or that the product cannot avoid. */
export interface AcceptedDifference {
  /** The file name without `.json`. */
  readonly document: string;
  /** The method and path, such as `GET /pets`. */
  readonly operation: string;
  readonly fact: FactName;
  readonly reason: string;
}

/** The check fails for a difference that is not listed here, and for an entry whose operation no longer differs. */
export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    document: 'mermade-3.0-pass-extensionseverywhere',
    operation: 'DELETE /thing',
    fact: 'numbers',
    reason: 'A tool has no exclusive bounds: an integer above 5 is at least 6.',
  },
];
