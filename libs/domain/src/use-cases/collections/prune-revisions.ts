import { dayMs } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';

/** A text may have several megabytes. */
const batchSize = 100;

/** Which revisions are retained: the newest of each collection, and those of the last days. */
export interface RetentionSettings {
  readonly newest: number;
  readonly days: number;
}

/**
 * Removes revisions that are not retained, at most 100; returns their number. Callers repeat the call until none are
 * left. A revision that something else refers to would be another reason to retain it: it belongs into
 * `RevisionRetention`, so that the store decides in one statement.
 */
export const pruneRevisions =
  ({ revisions, clock }: Pick<Ports, 'revisions' | 'clock'>) =>
  ({ newest, days }: RetentionSettings): Promise<number> =>
    revisions.prune({ newest, since: clock.now() - days * dayMs }, batchSize);
