import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../service-process.ts';
import { startBareExpress } from './bare-express.ts';
import { openCatalog, type Catalog } from './catalog.ts';
import type { BenchRequest } from './connection.ts';
import { startCountingProxy, type CountingProxy } from './counting-proxy.ts';
import type { StartOptions } from './installation.ts';
import { openLoad, type Load } from './load.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { countingVariable } from './statement-count.ts';
import { quantile } from './statistics.ts';
import type { Subject } from './subject.ts';
import { canCountSystemCalls, countSystemCalls, type SystemCalls } from './system-calls.ts';
import { openWorkbench, type Filled, type Workbench, type WorkbenchOptions } from './workbench.ts';

/** What one request takes of the embedded default, of one caller who sends one after the other. */
export interface EmbeddedCounts {
  /** Of SQLite, in all threads. */
  readonly statements: number;
  /** Null where `strace` is missing. */
  readonly systemCalls: SystemCalls | null;
  /** What the main thread allocates: JavaScript's heap, and buffers outside of it. */
  readonly heapBytes: number;
  readonly bufferBytes: number;
}

/** The same with PostgreSQL and Redis, counted on the wire. */
export interface ServerCounts {
  readonly statements: number;
  readonly databaseRoundTrips: number;
  readonly redisCommands: number;
  readonly redisRoundTrips: number;
}

/** By the names of the scenarios. */
export type ByName<Counts> = Readonly<Record<string, Counts>>;

type CountsOptions = Pick<WorkbenchOptions, 'collections' | 'data'>;

/** Requests of a kind that are counted, and those before them. */
const [countedRequests, warmUpRequests] = [200, 100];

/** Counts the requests of the scenarios on a new installation, and those of bare Express beside them. */
export const countEmbedded = (
  chosen: readonly Scenario[],
  options: CountsOptions,
): Promise<{ readonly requests: ByName<EmbeddedCounts>; readonly bare: Allocations }> =>
  withWorkbench({ ...options, servers: false }, async (workbench, filled) => {
    const bare = await onSubject(await startBareExpress(workbench.folder, youngGeneration), async (subject) => {
      const request = { path: '/' };
      await sendOf(subject, request, allocationWarmUp);
      return allocationsOf(subject, request);
    });
    const allocated = await onService<Allocations>(chosen, filled, { nodeArguments: youngGeneration }, (subject) => ({
      warmUpRequests: allocationWarmUp,
      passes: 2,
      count: async (request, before) => fewerOf(await allocationsOf(subject, request), before),
    }));
    const called = await onService<Omit<EmbeddedCounts, keyof Allocations>>(chosen, filled, counting, (subject) => ({
      warmUpRequests,
      passes: 1,
      count: (request) =>
        withLoad(subject, request, async (load) => {
          const statements = await statementsOf(subject, load);
          // What the requests before left to do is filed within a second.
          await pause(1_200);
          const systemCalls = canCountSystemCalls()
            ? await countSystemCalls(subject.pid, filled.installation.logFile, () => load.send(countedRequests))
            : null;
          return { statements, systemCalls };
        }),
    }));
    const requests = chosen.map(({ name }) => [name, { ...called[name], ...allocated[name] }] as const);
    return { bare, requests: Object.fromEntries(requests) as ByName<EmbeddedCounts> };
  });

/** The same, of the statements alone, which every machine and every Node counts alike. */
export const countStatements = (chosen: readonly Scenario[], options: CountsOptions): Promise<ByName<number>> =>
  withWorkbench({ ...options, servers: false }, (_workbench, filled) =>
    onService(chosen, filled, counting, (subject) => ({
      warmUpRequests,
      passes: 1,
      count: (request) => withLoad(subject, request, (load) => statementsOf(subject, load)),
    })),
  );

const counting: StartOptions = { variables: { [countingVariable]: '1' } };

const statementsOf = async (subject: Subject, load: Load): Promise<number> => {
  const before = (await subject.ask('read')).statements;
  await load.send(countedRequests);
  const after = (await subject.ask('read')).statements;
  // What the service does besides, each second or less often, is lost in rounding.
  return Math.round((after - before) / countedRequests);
};

/** Counts what the requests ask of PostgreSQL and Redis. */
export const countOnServers = (chosen: readonly Scenario[], options: CountsOptions): Promise<ByName<ServerCounts>> =>
  withWorkbench({ ...options, servers: true }, async (workbench, filled) => {
    const { DATABASE_URL = '', REDIS_URL = '' } = filled.installation.servers;
    const [database, redis] = [await startCountingProxy(DATABASE_URL), await startCountingProxy(REDIS_URL)];
    for (const proxy of [database, redis]) workbench.atClose(proxy.close);
    const through = { DATABASE_URL: database.url, REDIS_URL: redis.url };
    return onService(chosen, filled, { variables: through }, (subject) => ({
      warmUpRequests,
      passes: 1,
      count: (request) => withLoad(subject, request, (load) => wireCountsOf(database, redis, load)),
    }));
  });

/** What nine of ten requests take at least: what the service does besides comes with some of them. */
const wireCountsOf = async (database: CountingProxy, redis: CountingProxy, load: Load): Promise<ServerCounts> => {
  const taken: ServerCounts[] = [];
  while (taken.length < countedRequests) {
    const before = [database.count(), redis.count()] as const;
    await load.send(1);
    const after = [database.count(), redis.count()] as const;
    taken.push({
      statements: after[0].messages - before[0].messages,
      databaseRoundTrips: after[0].roundTrips - before[0].roundTrips,
      redisCommands: after[1].messages - before[1].messages,
      redisRoundTrips: after[1].roundTrips - before[1].roundTrips,
    });
  }
  const least = (name: keyof ServerCounts): number =>
    quantile(Float64Array.from(taken, (counts) => counts[name]).sort(), leastShare);
  return {
    statements: least('statements'),
    databaseRoundTrips: least('databaseRoundTrips'),
    redisCommands: least('redisCommands'),
    redisRoundTrips: least('redisRoundTrips'),
  };
};

type Allocations = Pick<EmbeddedCounts, 'heapBytes' | 'bufferBytes'>;

/** So large that many windows pass without a collection, in MiB. */
const youngGeneration = ['--min-semi-space-size=256', '--max-semi-space-size=256'];
/** Requests after which the compiler has seen the code. */
const allocationWarmUp = 400;
const [windows, windowsMax, windowRequests] = [10, 40, 40];
/** What the service does besides adds to many windows, the more the slower the machine is: one of the least is taken. */
const leastShare = 0.1;

const allocationsOf = (subject: Subject, request: BenchRequest): Promise<Allocations> =>
  withLoad(subject, request, async (load) => {
    const counted: Allocations[] = [];
    for (let at = 0; counted.length < windows && at < windowsMax; at++) {
      const before = await subject.ask('begin');
      await load.send(windowRequests);
      const after = await subject.ask('read');
      // A collection is told some turns after it, and threads free memory later still.
      const { gcMs } = await subject.ask('read');
      if (gcMs > 0 || after.heapBytes < before.heapBytes || after.bufferBytes < before.bufferBytes) continue;
      counted.push({
        heapBytes: (after.heapBytes - before.heapBytes) / windowRequests,
        bufferBytes: (after.bufferBytes - before.bufferBytes) / windowRequests,
      });
    }
    const least = (name: keyof Allocations): number =>
      Math.round(quantile(Float64Array.from(counted, (window) => window[name]).sort(), leastShare));
    return { heapBytes: least('heapBytes'), bufferBytes: least('bufferBytes') };
  });

/** Of two countings, some time apart. */
const fewerOf = (one: Allocations, other: Allocations | undefined): Allocations => ({
  heapBytes: Math.min(one.heapBytes, other?.heapBytes ?? Infinity),
  bufferBytes: Math.min(one.bufferBytes, other?.bufferBytes ?? Infinity),
});

interface Counter<Counts> {
  /** How many of each kind are sent before any kind is counted. */
  readonly warmUpRequests: number;
  /** How often each kind is counted; `before` is what the pass before has counted. */
  readonly passes: number;
  readonly count: (request: BenchRequest, before: Counts | undefined) => Promise<Counts>;
}

/** Starts the service so, sends each kind of request, and then counts each kind. */
const onService = async <Counts>(
  chosen: readonly Scenario[],
  { installation, catalog }: Filled,
  how: StartOptions,
  counterOf: (subject: Subject) => Counter<Counts>,
): Promise<ByName<Counts>> =>
  onSubject(await installation.start(how), async (subject) => {
    const opened: Catalog = await openCatalog(catalog, installation);
    const { warmUpRequests, passes, count } = counterOf(subject);
    // All kinds: compiled code, and the files of the database, depend on what was asked before.
    for (const { request } of scenarios) await sendOf(subject, request(opened), warmUpRequests);
    const counted: Record<string, Counts> = {};
    for (let pass = 0; pass < passes; pass++) {
      for (const { name, request } of chosen) counted[name] = await count(request(opened), counted[name]);
    }
    return counted;
  });

const sendOf = (subject: Subject, request: BenchRequest, count: number): Promise<void> =>
  withLoad(subject, request, (load) => load.send(count));

const withLoad = async <Result>(
  subject: Subject,
  request: BenchRequest,
  work: (load: Load) => Promise<Result>,
): Promise<Result> => {
  const load = await openLoad(subject.address, request, 1);
  try {
    return await work(load);
  } finally {
    load.close();
  }
};

const onSubject = async <Result>(subject: Subject, work: (subject: Subject) => Promise<Result>): Promise<Result> => {
  try {
    return await work(subject);
  } finally {
    await subject.end();
  }
};

const withWorkbench = async <Result>(
  options: WorkbenchOptions,
  work: (workbench: Workbench, filled: Filled) => Promise<Result>,
): Promise<Result> => {
  const workbench = await openWorkbench(options);
  try {
    return await work(workbench, await workbench.fill('here', root));
  } finally {
    await workbench.close();
  }
};
