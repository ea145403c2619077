import type { ChangeLevel } from '@portico/domain';
import { hasChangesOf } from '../diff/change-formats.ts';
import { formatCount, OperatorError } from '../terminal.ts';
import type { ImportedFile } from './import-report.ts';

export type FailingLevel = Exclude<ChangeLevel, 'info'>;

/**
 * Throws an `OperatorError` if planned imports have changes of this level, or of a more important one. Reports each of
 * these plans before.
 */
export const rejectChanges = (
  plans: readonly ImportedFile[],
  level: FailingLevel,
  report: (plan: ImportedFile) => void = () => {},
): void => {
  if (plans.some(isNotCompared))
    throw new OperatorError('nothing was imported: this server does not compare documents, so omit --fail-on');
  // Unknown changes may be breaking.
  const failingPlans = plans.filter(
    ({ comparison }) => comparison && (comparison.counts === null || hasChangesOf(comparison.counts, level)),
  );
  if (failingPlans.length === 0) return;
  failingPlans.forEach(report);
  const kind = level === 'breaking' ? 'breaking changes' : 'breaking changes or warnings';
  throw new OperatorError(
    `nothing was imported: ${formatCount(failingPlans.length, 'document')} with ${kind} (--fail-on ${level})`,
  );
};

/** Whether an existing document changes, but an earlier version of the server has not compared it. */
const isNotCompared = ({ outcome, changes, comparison }: ImportedFile): boolean =>
  outcome === 'updated' && changes?.document === true && !comparison;
