import type { Environment } from '../environment.ts';
import type { FindingState } from './check.ts';
import { checks } from './checks.ts';
import { createExamination } from './examination.ts';
import { runChecks } from './run-checks.ts';
import { createCensor } from './censor.ts';

/** One line of a diagnosis. A check with several findings has a line for each of them. */
export interface DiagnosisLine {
  readonly id: string;
  readonly state: FindingState;
  readonly message: string;
  /** Null if there is nothing to do. */
  readonly advice: string | null;
  /** Whether the check applies to the configuration. */
  readonly applies: boolean;
}

/** The timeout of each check. */
const timeoutMs = 5_000;

/**
 * Examines the configuration of this environment, the machine and the servers, and changes nothing. No line contains a
 * secret.
 */
export const diagnose = async (environment: Environment): Promise<readonly DiagnosisLine[]> => {
  const examination = createExamination(environment);
  const censor = createCensor(environment);
  try {
    const results = await runChecks(checks, examination, timeoutMs);
    return results.flatMap(({ id, findings, applies }) =>
      findings.map(({ state, message, advice }) => ({
        id,
        state,
        message: censor(message),
        advice,
        applies,
      })),
    );
  } finally {
    await examination.close();
  }
};
