import { root } from '../service-process.ts';
import { checkOut, currentCommit } from './checkout.ts';
import { measureLatencies, type Latencies } from './latency.ts';
import type { BenchOptions } from './options.ts';
import { bareExpress, figuresAt, type Measured, onProcesses, service } from './processes.ts';
import type { Scenario } from './scenarios.ts';
import { ratioOf, spellTimes, togetherOf, type Runner, type SpellFigures } from './spells.ts';
import type { MedianEstimate } from './statistics.ts';
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

const read = async (
  chosen: readonly Scenario[],
  filled: readonly Filled[],
  options: BenchOptions,
  folder: string,
  report: (figures: RequestFigures) => void,
): Promise<readonly RequestFigures[]> => {
  const servers = [bareExpress(folder), ...filled.map(service)];
  const { processes, ...times } = spellTimes(options.quick);
  const sets: Measured[] = [];
  while (sets.length < processes - 1) sets.push(await onProcesses(servers, chosen, times));
  const all: RequestFigures[] = [];
  await onProcesses(servers, chosen, times, async (scenario, [, here], measured) => {
    if (!here) throw new Error('Nothing was measured');
    const at = all.length;
    const latencies = await latenciesOf(here, measured[1]?.requestsPerSecond ?? 0, options);
    const figures = figuresOf(scenario, options, [...sets.map((set) => set[at] ?? []), measured], latencies);
    all.push(figures);
    report(figures);
  });
  return all;
};

const figuresOf = (
  { name, budget }: Scenario,
  { servers, against }: BenchOptions,
  sets: Measured,
  latencies: Latencies,
): RequestFigures => {
  const [bare, here, other] = [figuresAt(0, sets), figuresAt(1, sets), figuresAt(2, sets)];
  return {
    name,
    budget: budget && (servers ? budget.servers : budget.embedded),
    bare: togetherOf(bare),
    service: togetherOf(here),
    ratio: ratioOf(here, bare),
    change: against === null ? null : ratioOf(here, other),
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
