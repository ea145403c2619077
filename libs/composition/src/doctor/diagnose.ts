import type { Environment } from '../environment.ts';
import type { FindingState } from './check.ts';
import { checks } from './checks.ts';
import { createExamination } from './examination.ts';
import { runChecks } from './run-checks.ts';
import { createCensor } from './censor.ts';

/** One line of a diagnosis. A check with several findings has a line for each. */
export interface DiagnosisLine {
  readonly id: string;
  readonly state: FindingState;
  readonly said: string;
  /** Null if there is nothing to do. */
  readonly advice: string | null;
  /** Whether the configuration gives the check something to ask. */
  readonly applies: boolean;
}

/** For each check. */
const limitMs = 5_000;

/**
 * Examines configuration, machine and servers as this environment names them, and changes nothing. No line holds a
 * secret.
 */
export const diagnose = async (environment: Environment): Promise<readonly DiagnosisLine[]> => {
  const examination = createExamination(environment);
  const censored = createCensor(environment);
  try {
    const asked = await runChecks(checks, examination, limitMs);
    return asked.flatMap(({ id, findings, applies }) =>
      findings.map(({ state, said, advice }) => ({
        id,
        state,
        said: censored(said),
        advice,
        applies,
      })),
    );
  } finally {
    await examination.close();
  }
};
