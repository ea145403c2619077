import { TookTooLong, within } from '@portico/dependencies';
import type { Config } from '../config.ts';
import { ConfigurationError } from '../environment.ts';
import { startFailure } from '../runtime/start-failure.ts';
import { skipped, wrong, type Answer, type Check, type Finding } from './check.ts';
import type { Examination } from './examination.ts';

/** What one check found. */
export interface Asked {
  readonly id: string;
  /** Never empty. */
  readonly findings: readonly Finding[];
  /** Whether the configuration gives it something to ask. */
  readonly applies: boolean;
}

/**
 * Runs every check to its end, side by side. One that needs others waits for them, and is skipped if one of them is
 * wrong or skipped. One that throws or takes longer than the limit is wrong. Returns them in the order of the table,
 * where what a check needs stands before it.
 */
export const runChecks = async (
  checks: readonly Check[],
  examination: Examination,
  limitMs: number,
): Promise<readonly Asked[]> => {
  const config = validConfig(examination);
  const running = new Map<string, Promise<Asked>>();
  const run = async (check: Check): Promise<Asked> => {
    const { id } = check;
    const reason = (config && check.isIdle?.(config)) ?? null;
    if (reason !== null) return { id, findings: [skipped(reason)], applies: false };
    const needed = await Promise.all(needsOf(check).map((other) => before(check, other)));
    const cause = needed.flatMap((other) => causeOf(other) ?? [])[0];
    return { id, findings: cause ? [cause] : listOf(await answerOf(check, examination, limitMs)), applies: true };
  };
  const needsOf = ({ needs, alsoNeeds }: Check) => [...needs, ...((config && alsoNeeds?.(config)) ?? [])];
  const before = ({ id }: Check, needed: string): Promise<Asked> => {
    const other = running.get(needed);
    if (!other) throw new Error(`The check ${id} needs ${needed}, which is not before it`);
    return other;
  };
  for (const check of checks) running.set(check.id, run(check));
  return Promise.all(running.values());
};

/** Why what needs this check is skipped: it is wrong, or the reason that it was skipped for itself. Null if it works. */
const causeOf = ({ id, findings }: Asked): Finding | null => {
  if (findings.some(({ state }) => state === 'wrong')) return skipped(`Not asked: ${id} has to be right first.`);
  return findings.find(({ state }) => state === 'skipped') ?? null;
};

/** Null if it is not valid, which a check of its own reports. */
const validConfig = ({ config }: Examination): Config | null => {
  try {
    return config();
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
};

const answerOf = async (check: Check, examination: Examination, limitMs: number): Promise<Answer> => {
  try {
    return await within(
      limitMs,
      Promise.resolve().then(() => check.ask(examination)),
    );
  } catch (error) {
    if (error instanceof TookTooLong) return wrong(`There was no answer within ${limitMs / 1_000} s.`, check.advice);
    return wrong(sentence(reasonOf(error)), check.advice);
  }
};

const listOf = (answer: Answer): readonly Finding[] =>
  (Array.isArray(answer) ? answer : [answer]) as readonly Finding[];

/** Without a stack. */
export const reasonOf = (error: unknown): string => {
  const { said } = startFailure(error);
  return error instanceof Error && said === error.stack ? error.message : said;
};

/** With a full stop. */
export const sentence = (text: string): string => `${text.replace(/[.\s]+$/, '')}.`;
