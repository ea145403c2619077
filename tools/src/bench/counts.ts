import { readFileSync, writeFileSync } from 'node:fs';
import { root } from '../service-process.ts';
import { fillCatalog, openCatalog, type FilledCatalog } from './catalog.ts';
import type { BenchRequest } from './connection.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { createInstallation, startServers, createTemporaryFolder, type Installation } from './installation.ts';
import { openLoad } from './load.ts';
import { countingVariable } from './probe-reply.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { quantileOf } from './statistics.ts';
import type { Subject } from './subject.ts';

/** The counts for one request when requests are sent sequentially. */
export interface Counts {
  /** The SQLite statements in all threads, or the PostgreSQL statements, counted on the wire like the other numbers. */
  readonly statements: number;
  readonly databaseRoundTrips?: number;
  readonly redisCommands?: number;
  readonly redisRoundTrips?: number;
}

/** The counts, by the name of the scenario. */
type CountsByScenario = Readonly<Record<string, Counts>>;

/** The recorded counts for all requests, written by `npm run bench -- --part counts --record`. */
interface RecordedCounts {
  readonly embedded: CountsByScenario;
  readonly servers: CountsByScenario;
}

const file = new URL('counts.json', import.meta.url);
export const readRecordedCounts = (): RecordedCounts => JSON.parse(readFileSync(file, 'utf8')) as RecordedCounts;

/** Prints the counts for each request, and the recorded ones if they differ. Records the counts if `record` is set. */
export const reportCounts = async (
  selectedScenarios: readonly Scenario[],
  { servers, record }: { readonly servers: boolean; readonly record: boolean },
): Promise<void> => {
  const results = servers ? await countOnServers(selectedScenarios) : await countStatements(selectedScenarios);
  const backend = servers ? 'servers' : 'embedded';
  const recordedCounts = readRecordedCounts();
  for (const [name, counts] of Object.entries(results)) {
    const [current, previous] = [textOf(counts), textOf(recordedCounts[backend][name])];
    console.log(`${name.padEnd(46)} ${current}${current === previous ? '' : `   recorded: ${previous}`}`);
  }
  if (record) writeFileSync(file, `${JSON.stringify({ ...recordedCounts, [backend]: results }, null, 2)}\n`);
};

const textOf = (counts: Counts | undefined): string =>
  Object.entries(counts ?? {})
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** The number of collections. It is small, so that they are created quickly: the counts hardly depend on it. */
const collections = 200;
/** The number of requests of each kind that are counted, and the number of warm-up requests before them. */
const [countedRequests, warmUpRequests] = [200, 100];

/** Counts the statements in a new installation on SQLite. */
export const countStatements = async (selectedScenarios: readonly Scenario[]): Promise<CountsByScenario> => {
  await using stack = new AsyncDisposableStack();
  const installation = await createInstallation(root, createTemporaryFolder(stack), {});
  const filledCatalog = await fillCatalog(installation, collections);
  const subject = await installation.start({ [countingVariable]: '1' });
  stack.defer(subject.kill);
  return await countEach(selectedScenarios, { installation, filledCatalog, subject }, async (send) => {
    const before = await subject.readProbe();
    await send(countedRequests);
    const after = await subject.readProbe();
    // Rounding removes the service's background work, which runs every second or less often.
    return { statements: Math.round((after.statements - before.statements) / countedRequests) };
  });
};

/** Counts the messages that the requests cause to PostgreSQL and Redis. */
export const countOnServers = async (selectedScenarios: readonly Scenario[]): Promise<CountsByScenario> => {
  await using stack = new AsyncDisposableStack();
  const folder = createTemporaryFolder(stack);
  const createServers = await startServers(stack);
  const installation = await createInstallation(root, folder, await createServers());
  const filledCatalog = await fillCatalog(installation, collections);
  const { DATABASE_URL = '', REDIS_URL = '' } = installation.servers;
  const [database, redis] = [await startCountingProxy(DATABASE_URL), await startCountingProxy(REDIS_URL)];
  for (const proxy of [database, redis]) stack.defer(proxy.close);
  const subject = await installation.start({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  stack.defer(subject.kill);
  const readTotals = (): readonly number[] =>
    [database.count(), redis.count()].flatMap((counter) => [counter.messages, counter.roundTrips]);
  return await countEach(selectedScenarios, { installation, filledCatalog, subject }, async (send) => {
    const differences: (readonly number[])[] = [];
    while (differences.length < countedRequests) {
      const before = readTotals();
      await send(1);
      differences.push(readTotals().map((count, index) => count - (before[index] ?? 0)));
    }
    // Uses the lowest decile, because some requests coincide with background work.
    const lowDecileOf = (index: number): number =>
      quantileOf(Float64Array.from(differences, (difference) => difference[index] ?? NaN).sort(), 0.1);
    return {
      statements: lowDecileOf(0),
      databaseRoundTrips: lowDecileOf(1),
      redisCommands: lowDecileOf(2),
      redisRoundTrips: lowDecileOf(3),
    };
  });
};

interface CountedService {
  readonly installation: Installation;
  readonly filledCatalog: FilledCatalog;
  readonly subject: Subject;
}

const countEach = async (
  selectedScenarios: readonly Scenario[],
  { installation, filledCatalog, subject }: CountedService,
  count: (send: (count: number) => Promise<void>) => Promise<Counts>,
): Promise<CountsByScenario> => {
  const catalog = await openCatalog(filledCatalog, installation);
  const withLoad = async <Result>(
    request: BenchRequest,
    work: (send: (count: number) => Promise<void>) => Promise<Result>,
  ) => {
    const load = await openLoad(subject.address, request, 1);
    try {
      return await work(load.send);
    } finally {
      load.close();
    }
  };
  // Sends requests of all kinds, because prepared statements and caches depend on earlier requests.
  for (const { request } of scenarios) await withLoad(request(catalog), (send) => send(warmUpRequests));
  const results: Record<string, Counts> = {};
  for (const { name, request } of selectedScenarios) results[name] = await withLoad(request(catalog), count);
  return results;
};
