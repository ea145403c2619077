import { runAndFinish } from '../run-and-finish.ts';
import { ServerError } from '../server/server-error.ts';
import type { Terminal } from '../terminal.ts';

/** The outcome for one of a command's items. */
export interface ItemOutcome {
  /** A single word, such as `granted` or `refused`. */
  readonly outcome: string;
  readonly [field: string]: string | number | null | undefined;
}

/** Whether everything that a command requested has been done, now or earlier. */
export type AllDone = boolean;

/**
 * Prints a line for each outcome immediately, or all outcomes as JSON at the end, even if an error or a signal stops
 * the command early. Returns true if no item failed.
 */
export const reportOutcomes = async <Item extends ItemOutcome>(
  terminal: Terminal,
  batches: Iterable<readonly Item[]> | AsyncIterable<readonly Item[]>,
  lineOf: (item: Item) => string,
): Promise<AllDone> => {
  const outcomes: Item[] = [];
  let width = 0;
  const reportAll = async (): Promise<void> => {
    for await (const batch of batches) {
      width = Math.max(width, ...batch.map(({ outcome }) => outcome.length));
      terminal.printLines(batch.map((item) => `${item.outcome.padEnd(width)}  ${lineOf(item)}`));
      outcomes.push(...batch);
    }
  };
  await runAndFinish(reportAll, () => terminal.printResult(outcomes, []));
  return outcomes.every(({ outcome }) => !failures.has(outcome));
};

const failures: ReadonlySet<string> = new Set([
  'refused',
  'failed',
  'not_found',
  'ambiguous',
  'retired',
  'already_rejected',
]);

/** Runs an action for one person; a failure becomes the outcome. Throws errors that do not affect only this person. */
export const outcomeFor = async (
  email: string,
  outcome: string,
  action: () => Promise<unknown>,
): Promise<PersonOutcome> => {
  const reason = await attempt(action);
  return reason === null ? { outcome, email } : { outcome: 'refused', email, reason };
};

export interface PersonOutcome extends ItemOutcome {
  readonly email: string;
  readonly reason?: string;
}

/** Formats an outcome, for example as `alice@example.com: User not found`. */
export const toPersonLine = ({ email, reason }: PersonOutcome): string =>
  reason === undefined ? email : `${email}: ${reason}`;

/** Runs the action. Returns the reason if it fails, otherwise null. Throws errors that do not affect only this item. */
export const attempt = async (action: () => Promise<unknown>): Promise<string | null> => {
  try {
    await action();
    return null;
  } catch (error) {
    // An outage or a rejected credential affects all items.
    if (error instanceof ServerError && [400, 404, 409, 422].includes(error.status)) return error.detail;
    throw error;
  }
};
