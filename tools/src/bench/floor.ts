import { root } from '../service-process.ts';
import { askingExpress, bareExpress, figuresAt, type Measured, onProcesses, service } from './processes.ts';
import { intervalOf, nameWidth } from './report.ts';
import { collectionsFor } from './requests.ts';
import type { Scenario } from './scenarios.ts';
import { ratioOf, spellTimes, togetherOf, type SpellFigures } from './spells.ts';
import { openWorkbench } from './workbench.ts';

/**
 * Measures an Express that asks PostgreSQL and Redis once for each request, and does nothing else, in turn with bare
 * Express and the service on the same servers: what the questions cost that each request of the service asks there.
 */
export const benchFloor = async (
  chosen: readonly Scenario[],
  { quick }: { readonly quick: boolean },
  print: (line: string) => void,
): Promise<void> => {
  const workbench = await openWorkbench({ servers: true, data: null, collections: collectionsFor(chosen) });
  try {
    const filled = await workbench.fill('here', root);
    const { folder } = workbench;
    const servers = [bareExpress(folder), askingExpress(folder, filled.installation.servers), service(filled)];
    const sets: Measured[] = [];
    const { processes, ...times } = spellTimes(quick);
    while (sets.length < processes) sets.push(await onProcesses(servers, chosen, times));
    for (const [at, { name }] of chosen.entries()) {
      print(name);
      for (const line of linesOf(sets.map((set) => set[at] ?? []))) print(line);
    }
  } finally {
    await workbench.close();
  }
};

const linesOf = (sets: Measured): readonly string[] => {
  const [bare, asking, own] = [figuresAt(0, sets), figuresAt(1, sets), figuresAt(2, sets)];
  const line = (
    name: string,
    figures: readonly SpellFigures[],
    unit: readonly SpellFigures[],
    unitName: string,
  ): string => {
    const ratio = ratioOf(figures, unit);
    const microseconds = `${togetherOf(figures).cpuMicroseconds.toFixed(1)} µs CPU`.padStart(14);
    return `  ${name.padEnd(nameWidth)}${microseconds}, ${ratio.median.toFixed(2)} × ${unitName} (${intervalOf(ratio)})`;
  };
  return [
    line('Express that asks PostgreSQL and Redis once', asking, bare, 'bare Express'),
    line('the service', own, bare, 'bare Express'),
    line('the service', own, asking, 'the Express that asks'),
  ];
};
