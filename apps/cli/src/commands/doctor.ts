import { diagnose, type DiagnosisLine, type Environment } from '@portico/composition';
import { counted, type Terminal } from '../terminal.ts';

/** Examines the installation, and prints a line for each finding; returns whether nothing is wrong. */
export const examine = async (environment: Environment, terminal: Terminal): Promise<boolean> => {
  const lines = await diagnose(environment);
  const asked = lines.filter(({ state }) => state !== 'skipped');
  // Those for the same reason share a line; what the configuration does not have is not worth one.
  const skipped = lines.filter(({ state, applies }) => state === 'skipped' && applies);
  const count = (state: DiagnosisLine['state']) => lines.filter((line) => line.state === state).length;
  terminal.result(
    {
      wrong: count('wrong'),
      warnings: count('warning'),
      checks: lines.map(({ id, state, said, advice }) => ({ id, state, said, advice })),
    },
    [
      ...asked.map(textOf),
      ...Object.entries(Object.groupBy(skipped, ({ said }) => said)).map(([said, group = []]) =>
        textOf({ state: 'skipped', id: group.map(({ id }) => id).join(', '), said, advice: null }),
      ),
      count('wrong') + count('warning') === 0
        ? 'Nothing is wrong.'
        : `${count('wrong')} wrong, ${counted(count('warning'), 'warning')}.`,
    ],
  );
  return count('wrong') === 0;
};

const textOf = ({ state, id, said, advice }: Omit<DiagnosisLine, 'applies'>): string =>
  `${state.padEnd(stateWidth)}  ${id}: ${[said, advice].filter(Boolean).join(' ')}`;

/** That of the longest state. */
const stateWidth = 'warning'.length;
