import { join } from 'node:path';
import { root } from '../service-process.ts';
import { startBareExpress } from './bare-express.ts';
import { fillCatalog, openCatalog, type Catalog } from './catalog.ts';
import { checkOut } from './checkout.ts';
import { createInstallation, startServers, createTemporaryFolder } from './installation.ts';
import { openLoad } from './load.ts';
import { pinToOneCpu } from './pin-to-one-cpu.ts';
import type { BenchOptions } from './options.ts';
import { takeInterleavedSamples, type SampleTimes } from './samples.ts';
import type { Scenario } from './scenarios.ts';
import { estimateMedian, medianOf, type MedianEstimate } from './statistics.ts';
import type { Subject } from './subject.ts';

export interface RequestFigures {
  readonly name: string;
  /** The maximum multiple of bare Express's CPU time; null if there is no budget. */
  readonly budget: number | null;
  readonly cpuMicroseconds: number;
  /** The service's CPU time relative to bare Express. */
  readonly ratio: MedianEstimate;
  /** The service's CPU time relative to the other commit; null if there is no other commit. */
  readonly change: MedianEstimate | null;
}

/** Two processes running the same code consistently differ by a few percent, so several are measured. */
const sampleTimesFor = (quick: boolean): SampleTimes & { readonly processes: number } =>
  quick ? { processes: 2, rounds: 8, sampleMs: 120 } : { processes: 5, rounds: 18, sampleMs: 200 };

/** Starts a server. For the service, it also returns the catalog. */
type Start = () => Promise<{ readonly subject: Subject; readonly catalog: Catalog | null }>;
/** The cost of a request in nanoseconds, by scenario, server and sample. */
type SampleCosts = readonly (readonly (readonly number[])[])[];

/** Measures bare Express, the service and, with `--against`, the service at another commit. */
export const measureRequests = async (
  selectedScenarios: readonly Scenario[],
  options: BenchOptions,
): Promise<readonly RequestFigures[]> => {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder(stack);
  const createServers = options.servers ? await startServers(stack) : async () => ({});
  const collections =
    options.collections ??
    (selectedScenarios.some(({ needsManyCollections }) => needsManyCollections) ? 10_000 : 1_000);
  const prepareService = async (name: string, sources: string): Promise<Start> => {
    reportProgress(`${name}: filling ${collections} collections`);
    const installation = await createInstallation(sources, join(folder, name), await createServers());
    const filledCatalog = await fillCatalog(installation, collections);
    return async () => ({
      subject: await installation.start(),
      catalog: await openCatalog(filledCatalog, installation),
    });
  };
  const starts: Start[] = [
    async () => ({ subject: await startBareExpress(folder), catalog: null }),
    await prepareService('here', root),
  ];
  if (options.against !== null) {
    const otherCheckout = checkOut(options.against);
    stack.defer(otherCheckout.remove);
    starts.push(await prepareService(otherCheckout.commit, otherCheckout.root));
  }
  const { processes, ...times } = sampleTimesFor(options.quick);
  const runs: SampleCosts[] = [];
  while (runs.length < processes) {
    reportProgress(`processes ${runs.length + 1} of ${processes}`);
    runs.push(await measureNewProcesses(starts, selectedScenarios, times));
  }
  return selectedScenarios.map((scenario, index) =>
    figuresOf(
      scenario,
      options.servers,
      runs.map((run) => run[index] ?? []),
    ),
  );
};

const measureNewProcesses = async (
  starts: readonly Start[],
  selectedScenarios: readonly Scenario[],
  times: SampleTimes,
): Promise<SampleCosts> => {
  await using stack = new AsyncDisposableStack();
  const servers: Awaited<ReturnType<Start>>[] = [];
  for (const start of starts) {
    const server = await start();
    stack.defer(server.subject.kill);
    servers.push(server);
  }
  const pids = servers.map(({ subject }) => subject.pid);
  const results: (readonly (readonly number[])[])[] = [];
  for (const { name, callers, request } of selectedScenarios) {
    reportProgress(`  ${name}`);
    await using loadStack = new AsyncDisposableStack();
    const samples: (() => Promise<number>)[] = [];
    for (const { subject, catalog } of servers) {
      const load = await openLoad(subject.address, catalog ? request(catalog) : { path: '/' }, callers);
      loadStack.defer(load.close);
      samples.push(async () => {
        const before = await subject.readCpuNs();
        const requests = await load.run(times.sampleMs);
        return ((await subject.readCpuNs()) - before) / requests;
      });
    }
    results.push(await pinToOneCpu(pids, () => takeInterleavedSamples(samples, times)));
  }
  return results;
};

/** Returns the figures for a scenario. `runs` contains the samples of each server, for each run. */
const figuresOf = ({ name, budget }: Scenario, usesServers: boolean, runs: SampleCosts): RequestFigures => {
  /** Estimates the ratio of the service's cost to the other server's, sample by sample. */
  const ratioTo = (serverIndex: number): MedianEstimate =>
    estimateMedian(
      runs.map((servers) => (servers[1] ?? []).map((cost, index) => cost / (servers[serverIndex]?.[index] ?? NaN))),
    );
  return {
    name,
    budget: usesServers ? budget.servers : budget.embedded,
    cpuMicroseconds: medianOf(runs.flatMap((servers) => servers[1] ?? [])) / 1_000,
    ratio: ratioTo(0),
    change: runs[0]?.[2] ? ratioTo(2) : null,
  };
};

/** Prints to standard error, so that standard output contains only figures. */
const reportProgress = (message: string): void => void process.stderr.write(`… ${message}\n`);
