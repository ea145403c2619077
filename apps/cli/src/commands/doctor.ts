import { diagnose, type DiagnosisLine, type Environment } from '@portico/composition';
import { formatCount, type Terminal } from '../terminal.ts';

/** Examines the installation and prints a line for each finding. Returns true if nothing is wrong. */
export const runDoctor = async (environment: Environment, terminal: Terminal): Promise<boolean> => {
  const lines = await diagnose(environment);
  const completedChecks = lines.filter(({ state }) => state !== 'skipped');
  // Checks skipped for the same reason share a line. Checks that do not apply to the configuration are not printed.
  const skippedChecks = lines.filter(({ state, applies }) => state === 'skipped' && applies);
  const count = (state: DiagnosisLine['state']) => lines.filter((line) => line.state === state).length;
  terminal.printResult(
    {
      wrong: count('wrong'),
      warnings: count('warning'),
      checks: lines.map(({ id, state, message, advice }) => ({ id, state, said: message, advice })),
    },
    [
      ...completedChecks.map(textOf),
      ...Object.entries(Object.groupBy(skippedChecks, ({ message }) => message)).map(([message, group = []]) =>
        textOf({ state: 'skipped', id: group.map(({ id }) => id).join(', '), message, advice: null }),
      ),
      count('wrong') + count('warning') === 0
        ? 'Nothing is wrong.'
        : `${count('wrong')} wrong, ${formatCount(count('warning'), 'warning')}.`,
    ],
  );
  return count('wrong') === 0;
};

const textOf = ({ state, id, message, advice }: Omit<DiagnosisLine, 'applies'>): string =>
  `${state.padEnd(stateWidth)}  ${id}: ${[message, advice].filter(Boolean).join(' ')}`;

/** The length of the longest state. */
const stateWidth = 'warning'.length;
