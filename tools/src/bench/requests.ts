import { root } from '../service-process.ts';
import { startBareExpress } from './bare-express.ts';
import { openCatalog, type Catalog } from './catalog.ts';
import { checkOut, currentCommit } from './checkout.ts';
import { measureLatencies, type Latencies } from './latency.ts';
import type { BenchOptions } from './options.ts';
import type { Scenario } from './scenarios.ts';
import { measureInTurn, pairedRatios, togetherOf, type Runner, type SpellFigures } from './spells.ts';
import { estimateMedianOfGroups, type MedianEstimate } from './statistics.ts';
import type { Subject } from './subject.ts';
import { openWorkbench, type Filled } from './workbench.ts';

export interface RequestFigures {
  readonly name: string;
  /** Times the CPU of bare Express; null if there is none. */
  readonly budget: number | null;
  readonly bare: SpellFigures;
  readonly service: SpellFigures;
  /** Service to bare Express. */
  readonly ratio: MedianEstimate;
  /** Service to the service of the other commit; null without one. */
  readonly change: MedianEstimate | null;
  /** Of the service, at half of the rate of its spells. */
  readonly latencies: Latencies;
}

/** One reading: all the requests, by processes that were started for it, several one after the other. */
export interface Reading {
  readonly commit: string;
  readonly against: string | null;
  readonly requests: readonly RequestFigures[];
}

/** How many collections the scenarios want. */
export const collectionsFor = (chosen: readonly Scenario[]): number =>
  chosen.some(({ wantsMany }) => wantsMany) ? 10_000 : 1_000;

/** Measures the chosen scenarios; calls `report` with each figure as soon as it is there. */
export const measureRequests = async (
  chosen: readonly Scenario[],
  options: BenchOptions,
  report: (figures: RequestFigures) => void,
): Promise<readonly Reading[]> => {
  const workbench = await openWorkbench({ ...options, collections: options.collections ?? collectionsFor(chosen) });
  try {
    const filled = [await workbench.fill('here', root)];
    const commit = currentCommit();
    const other = options.against === null ? null : checkOut(options.against);
    if (other) {
      workbench.atClose(other.remove);
      filled.push(await workbench.fill(other.commit, other.root));
    }
    const readings: Reading[] = [];
    while (readings.length < options.repeat) {
      const requests = await read(chosen, filled, options, workbench.folder, report);
      readings.push({ commit, against: other?.commit ?? null, requests });
    }
    return readings;
  } finally {
    await workbench.close();
  }
};

/** Of each scenario, what the spells of one set of processes have measured: of bare Express, the service, and the other. */
type Measured = readonly (readonly SpellFigures[])[];

const read = async (
  chosen: readonly Scenario[],
  filled: readonly Filled[],
  options: BenchOptions,
  folder: string,
  report: (figures: RequestFigures) => void,
): Promise<readonly RequestFigures[]> => {
  const sets: Measured[] = [];
  // Two processes of the same code differ by some percent, as long as they run.
  const count = options.quick ? 2 : 5;
  for (; sets.length < count - 1;)
    sets.push(await onProcesses(chosen, filled, options, folder, () => Promise.resolve()));
  const all: RequestFigures[] = [];
  await onProcesses(chosen, filled, options, folder, async (scenario, service, measured) => {
    const at = all.length;
    const latencies = await latenciesOf(service, measured[1]?.requestsPerSecond ?? 0, options);
    const figures = figuresOf(scenario, options, [...sets.map((set) => set[at] ?? []), measured], latencies);
    all.push(figures);
    report(figures);
  });
  return all;
};

/** Starts each process once, and measures each scenario on them. */
const onProcesses = async (
  chosen: readonly Scenario[],
  filled: readonly Filled[],
  { quick }: BenchOptions,
  folder: string,
  afterwards: (scenario: Scenario, service: Runner, measured: readonly SpellFigures[]) => Promise<void>,
): Promise<Measured> => {
  const subjects: Subject[] = [];
  try {
    const bare = await startBareExpress(folder);
    subjects.push(bare);
    const services: { readonly subject: Subject; readonly catalog: Catalog }[] = [];
    for (const { installation, catalog } of filled) {
      const subject = await installation.start();
      subjects.push(subject);
      services.push({ subject, catalog: await openCatalog(catalog, installation) });
    }
    const all: (readonly SpellFigures[])[] = [];
    const times = quick ? { rounds: 8, spellMs: 120 } : { rounds: 9, spellMs: 200 };
    for (const scenario of chosen) {
      const { callers } = scenario;
      const runners = services.map(({ subject, catalog }) => ({
        subject,
        callers,
        request: scenario.request(catalog),
      }));
      const measured = await measureInTurn([{ subject: bare, callers, request: { path: '/' } }, ...runners], times);
      all.push(measured);
      for (const service of runners.slice(0, 1)) await afterwards(scenario, service, measured);
    }
    return all;
  } finally {
    for (const subject of subjects) await subject.end();
  }
};

const figuresOf = (
  { name, budget }: Scenario,
  { servers, against }: BenchOptions,
  measured: Measured,
  latencies: Latencies,
): RequestFigures => {
  const of = (subject: number): readonly SpellFigures[] => measured.flatMap((set) => set.slice(subject, subject + 1));
  const [bare, service, other] = [of(0), of(1), of(2)];
  const ratioTo = (units: readonly SpellFigures[]): MedianEstimate =>
    estimateMedianOfGroups(service.map((figures, at) => pairedRatios(figures, units[at] ?? figures)));
  return {
    name,
    budget: budget && (servers ? budget.servers : budget.embedded),
    bare: togetherOf(bare),
    service: togetherOf(service),
    ratio: ratioTo(bare),
    change: against === null ? null : ratioTo(other),
    latencies,
  };
};

/** More than are ever under way at half of the rate, unless the service stalls. */
const latencyConnections = 64;

const latenciesOf = ({ subject, request }: Runner, requestsPerSecond: number, { quick }: BenchOptions) =>
  measureLatencies(subject.address, request, {
    requestsPerSecond: requestsPerSecond / 2,
    seconds: quick ? 1 : 4,
    connections: latencyConnections,
  });
