import type { ChangeLevel } from './change.ts';

/** A level that differs from the rule's usual one, and why. */
export interface PolicyEntry {
  readonly level: ChangeLevel;
  readonly reason: string;
  /** Whether a change with an example is breaking all the same. */
  readonly yieldsToExample?: true;
}

/**
 * The levels that do not follow from the values alone. Otherwise a change of a schema is `breaking` if there is a
 * value that shows it, `warning` if neither such a value nor a proof of the opposite was found, and `info` if there is
 * a proof.
 */
export const policyTable: Readonly<Record<string, PolicyEntry>> = {
  'request-property-removed': {
    level: 'warning',
    reason: 'the value is still accepted, but no longer has a described effect',
    yieldsToExample: true,
  },
  'request-property-became-read-only': {
    level: 'warning',
    reason: 'servers may ignore the value, or reject it',
  },
  'response-property-enum-value-added': {
    level: 'warning',
    reason: 'callers are expected to handle values that they do not know',
  },
  'response-body-enum-value-added': {
    level: 'warning',
    reason: 'callers are expected to handle values that they do not know',
  },
  'response-header-enum-value-added': {
    level: 'warning',
    reason: 'callers are expected to handle values that they do not know',
  },
  'response-property-enum-removed': { level: 'warning', reason: 'the values may remain the same' },
  'response-body-enum-removed': { level: 'warning', reason: 'the values may remain the same' },
};
