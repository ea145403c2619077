import { join } from 'node:path';
import { root } from '../service-process.ts';
import { startBareExpress } from './bare-express.ts';
import { fillCatalog, openCatalog, type Catalog } from './catalog.ts';
import { checkOut } from './checkout.ts';
import { createInstallation, startServers, temporaryFolder } from './installation.ts';
import { openLoad } from './load.ts';
import { onOneProcessor } from './one-processor.ts';
import type { BenchOptions } from './options.ts';
import { interleavedSamples, type SampleTimes } from './samples.ts';
import type { Scenario } from './scenarios.ts';
import { estimateMedian, medianOf, type MedianEstimate } from './statistics.ts';
import type { Subject } from './subject.ts';

export interface RequestFigures {
  readonly name: string;
  /** Times the CPU of bare Express; null if there is none. */
  readonly budget: number | null;
  readonly cpuMicroseconds: number;
  /** Service to bare Express. */
  readonly ratio: MedianEstimate;
  /** Service to the service of the other commit; null without one. */
  readonly change: MedianEstimate | null;
}

/** Two processes of the same code differ by some percent, as long as they run: so there are several. */
const timesOf = (quick: boolean): SampleTimes & { readonly processes: number } =>
  quick ? { processes: 2, rounds: 8, sampleMs: 120 } : { processes: 5, rounds: 18, sampleMs: 200 };

/** Starts a server; a service comes with its catalog. */
type Start = () => Promise<{ readonly subject: Subject; readonly catalog: Catalog | null }>;
/** Of each scenario, of each server, what a request took in each sample, in nanoseconds. */
type Measured = readonly (readonly (readonly number[])[])[];

/** Measures bare Express, the service and, if asked for, the service of another commit. */
export const measureRequests = async (
  chosen: readonly Scenario[],
  options: BenchOptions,
): Promise<readonly RequestFigures[]> => {
  await using stack = new AsyncDisposableStack();
  const folder = temporaryFolder(stack);
  const newServers = options.servers ? await startServers(stack) : async () => ({});
  const collections = options.collections ?? (chosen.some(({ wantsMany }) => wantsMany) ? 10_000 : 1_000);
  const serviceIn = async (name: string, of: string): Promise<Start> => {
    progress(`${name}: filling ${collections} collections`);
    const installation = await createInstallation(of, join(folder, name), await newServers());
    const filled = await fillCatalog(installation, collections);
    return async () => ({
      subject: await installation.start(),
      catalog: await openCatalog(filled, installation),
    });
  };
  const starts: Start[] = [
    async () => ({ subject: await startBareExpress(folder), catalog: null }),
    await serviceIn('here', root),
  ];
  if (options.against !== null) {
    const other = checkOut(options.against);
    stack.defer(other.remove);
    starts.push(await serviceIn(other.commit, other.root));
  }
  const { processes, ...times } = timesOf(options.quick);
  const runs: Measured[] = [];
  while (runs.length < processes) {
    progress(`processes ${runs.length + 1} of ${processes}`);
    runs.push(await onNewProcesses(starts, chosen, times));
  }
  return chosen.map((scenario, at) =>
    figuresOf(
      scenario,
      options.servers,
      runs.map((run) => run[at] ?? []),
    ),
  );
};

const onNewProcesses = async (
  starts: readonly Start[],
  chosen: readonly Scenario[],
  times: SampleTimes,
): Promise<Measured> => {
  await using stack = new AsyncDisposableStack();
  const servers: Awaited<ReturnType<Start>>[] = [];
  for (const start of starts) {
    const server = await start();
    stack.defer(server.subject.end);
    servers.push(server);
  }
  const pids = servers.map(({ subject }) => subject.pid);
  const measured: (readonly (readonly number[])[])[] = [];
  for (const { name, callers, request } of chosen) {
    progress(`  ${name}`);
    await using loads = new AsyncDisposableStack();
    const samples: (() => Promise<number>)[] = [];
    for (const { subject, catalog } of servers) {
      const load = await openLoad(subject.address, catalog ? request(catalog) : { path: '/' }, callers);
      loads.defer(load.close);
      samples.push(async () => {
        const before = await subject.cpuNs();
        const requests = await load.run(times.sampleMs);
        return ((await subject.cpuNs()) - before) / requests;
      });
    }
    measured.push(await onOneProcessor(pids, () => interleavedSamples(samples, times)));
  }
  return measured;
};

/** `runs`: of each run, the samples of each server. */
const figuresOf = ({ name, budget }: Scenario, onServers: boolean, runs: Measured): RequestFigures => {
  /** How many times as much the service takes, sample by sample. */
  const ratioTo = (other: number): MedianEstimate =>
    estimateMedian(runs.map((servers) => (servers[1] ?? []).map((cost, at) => cost / (servers[other]?.[at] ?? NaN))));
  return {
    name,
    budget: onServers ? budget.servers : budget.embedded,
    cpuMicroseconds: medianOf(runs.flatMap((servers) => servers[1] ?? [])) / 1_000,
    ratio: ratioTo(0),
    change: runs[0]?.[2] ? ratioTo(2) : null,
  };
};

/** To standard error, which is not part of the figures. */
const progress = (what: string): void => void process.stderr.write(`… ${what}\n`);
