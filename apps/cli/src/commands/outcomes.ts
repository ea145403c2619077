import { toldHowever } from '../interruption.ts';
import { ServerRefusal } from '../server/refusals.ts';
import type { Terminal } from '../terminal.ts';

/** What became of one of the things that a command names. */
export interface Told {
  /** In a word: `granted`, `refused`. */
  readonly outcome: string;
  readonly [fact: string]: string | number | null | undefined;
}

/** Whether all that a command named was done, or was so before. */
export type AllDone = boolean;

/**
 * Prints a line for each outcome as it comes, or all of them as JSON at the end, also if an error or a signal ends it
 * early; returns whether none was refused.
 */
export const tellOutcomes = async <One extends Told>(
  terminal: Terminal,
  lots: Iterable<readonly One[]> | AsyncIterable<readonly One[]>,
  lineOf: (one: One) => string,
): Promise<AllDone> => {
  const told: One[] = [];
  let width = 0;
  const tell = async (): Promise<void> => {
    for await (const lot of lots) {
      width = Math.max(width, ...lot.map(({ outcome }) => outcome.length));
      terminal.lines(lot.map((one) => `${one.outcome.padEnd(width)}  ${lineOf(one)}`));
      told.push(...lot);
    }
  };
  await toldHowever(tell, () => terminal.result(told, []));
  return told.every(({ outcome }) => !refusing.has(outcome));
};

const refusing: ReadonlySet<string> = new Set(['refused', 'failed', 'not_found', 'ambiguous', 'already_rejected']);

/** Does something to one person; a refusal becomes its outcome. Throws what is the fault of no single person. */
export const outcomeFor = async (
  email: string,
  outcome: string,
  act: () => Promise<unknown>,
): Promise<PersonOutcome> => {
  const reason = await refusalOf(act);
  return reason === null ? { outcome, email } : { outcome: 'refused', email, reason };
};

export interface PersonOutcome extends Told {
  readonly email: string;
  readonly reason?: string;
}

/** `alice@example.com: User not found`. */
export const personLine = ({ email, reason }: PersonOutcome): string =>
  reason === undefined ? email : `${email}: ${reason}`;

/** The reason of a refusal; null if there was none. Throws what is the fault of nothing that was named. */
export const refusalOf = async (act: () => Promise<unknown>): Promise<string | null> => {
  try {
    await act();
    return null;
  } catch (error) {
    // An outage, or a credential that is not taken, concerns all of them.
    if (error instanceof ServerRefusal && [400, 404, 409, 422].includes(error.status)) return error.detail;
    throw error;
  }
};
