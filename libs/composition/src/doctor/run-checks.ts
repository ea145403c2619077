import { TimeoutExceeded, rejectOnTimeout } from '@portico/dependencies';
import type { Config } from '../config.ts';
import { ConfigurationError } from '../environment.ts';
import { toStartFailure } from '../runtime/start-failure.ts';
import { skip, fail, type Findings, type Check, type Finding } from './check.ts';
import type { Examination } from './examination.ts';

/** The result of one check. */
export interface CheckResult {
  readonly id: string;
  /** Never empty. */
  readonly findings: readonly Finding[];
  /** Whether the check applies to the configuration. */
  readonly applies: boolean;
}

/**
 * Runs all checks to completion, concurrently. A check that needs others waits for them, and is skipped if one of them
 * is wrong or skipped. A check that throws or exceeds the timeout is wrong. Returns the results in the order of the
 * table, where each check comes after the checks that it needs.
 */
export const runChecks = async (
  checks: readonly Check[],
  examination: Examination,
  timeoutMs: number,
): Promise<readonly CheckResult[]> => {
  const config = readValidConfig(examination);
  const pendingResults = new Map<string, Promise<CheckResult>>();
  const run = async (check: Check): Promise<CheckResult> => {
    const { id } = check;
    const reason = (config && check.findSkipReason?.(config)) ?? null;
    if (reason !== null) return { id, findings: [skip(reason)], applies: false };
    const resultsOfNeeds = await Promise.all(needsOf(check).map((neededId) => resultOfNeed(check, neededId)));
    const cause = resultsOfNeeds.flatMap((result) => causeOf(result) ?? [])[0];
    return { id, findings: cause ? [cause] : toList(await runCheck(check, examination, timeoutMs)), applies: true };
  };
  const needsOf = ({ needs, listExtraNeeds }: Check) => [...needs, ...((config && listExtraNeeds?.(config)) ?? [])];
  const resultOfNeed = ({ id }: Check, neededId: string): Promise<CheckResult> => {
    const result = pendingResults.get(neededId);
    if (!result) throw new Error(`The check ${id} needs ${neededId}, which is not before it`);
    return result;
  };
  for (const check of checks) pendingResults.set(check.id, run(check));
  return Promise.all(pendingResults.values());
};

/**
 * Returns why the checks that need this one are skipped: because this check is wrong, or for the same reason that it
 * was skipped. Returns null if it works.
 */
const causeOf = ({ id, findings }: CheckResult): Finding | null => {
  if (findings.some(({ state }) => state === 'wrong')) return skip(`Not checked: ${id} must pass first.`);
  return findings.find(({ state }) => state === 'skipped') ?? null;
};

/** Returns null if the configuration is not valid, which another check reports. */
const readValidConfig = ({ getConfig }: Examination): Config | null => {
  try {
    return getConfig();
  } catch (error) {
    if (error instanceof ConfigurationError) return null;
    throw error;
  }
};

const runCheck = async (check: Check, examination: Examination, timeoutMs: number): Promise<Findings> => {
  try {
    return await rejectOnTimeout(
      timeoutMs,
      Promise.resolve().then(() => check.execute(examination)),
    );
  } catch (error) {
    if (error instanceof TimeoutExceeded)
      return fail(`There was no response within ${timeoutMs / 1_000} s.`, check.advice);
    return fail(toSentence(reasonOf(error)), check.advice);
  }
};

const toList = (findings: Findings): readonly Finding[] =>
  (Array.isArray(findings) ? findings : [findings]) as readonly Finding[];

/** Returns the reason without a stack trace. */
export const reasonOf = (error: unknown): string => {
  const { message } = toStartFailure(error);
  return error instanceof Error && message === error.stack ? error.message : message;
};

/** Returns the text with a full stop at the end. */
export const toSentence = (text: string): string => `${text.replace(/[.\s]+$/, '')}.`;
