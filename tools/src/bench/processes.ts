import type { Environment } from '@portico/composition';
import { startAskingExpress, startBareExpress } from './bare-express.ts';
import { openCatalog } from './catalog.ts';
import type { BenchRequest } from './connection.ts';
import type { SpellTimes } from './in-turn.ts';
import type { Scenario } from './scenarios.ts';
import { measureInTurn, type Runner, type SpellFigures } from './spells.ts';
import type { Subject } from './subject.ts';
import type { Filled } from './workbench.ts';

/** Starts a server, which answers a scenario by its own request. */
export type Starting = () => Promise<{
  readonly subject: Subject;
  readonly requestOf: (scenario: Scenario) => BenchRequest;
}>;

const requestOf = (): BenchRequest => ({ path: '/' });

export const bareExpress =
  (folder: string): Starting =>
  async () => ({ subject: await startBareExpress(folder), requestOf });

export const askingExpress =
  (folder: string, servers: Environment): Starting =>
  async () => ({ subject: await startAskingExpress(folder, servers), requestOf });

export const service =
  ({ installation, catalog: filled }: Filled): Starting =>
  async () => {
    const subject = await installation.start();
    const catalog = await openCatalog(filled, installation);
    return { subject, requestOf: ({ request }) => request(catalog) };
  };

/** Of each scenario, the figures of each server, in their order. */
export type Measured = readonly (readonly SpellFigures[])[];

/** Starts each server once, measures each scenario on them in turn, and calls `afterwards` while they still run. */
export const onProcesses = async (
  servers: readonly Starting[],
  chosen: readonly Scenario[],
  times: SpellTimes,
  afterwards: (scenario: Scenario, runners: readonly Runner[], measured: readonly SpellFigures[]) => unknown = () => {},
): Promise<Measured> => {
  const running: Awaited<ReturnType<Starting>>[] = [];
  try {
    for (const start of servers) running.push(await start());
    const all: (readonly SpellFigures[])[] = [];
    for (const scenario of chosen) {
      const { callers } = scenario;
      const runners = running.map((one) => ({ subject: one.subject, callers, request: one.requestOf(scenario) }));
      const measured = await measureInTurn(runners, times);
      all.push(measured);
      await afterwards(scenario, runners, measured);
    }
    return all;
  } finally {
    for (const { subject } of running) await subject.end();
  }
};

/** Of one scenario, what each set of processes says of the server at that place. */
export const figuresAt = (place: number, sets: Measured): readonly SpellFigures[] =>
  sets.flatMap((set) => set.slice(place, place + 1));
