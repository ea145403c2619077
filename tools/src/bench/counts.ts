import { readFileSync, writeFileSync } from 'node:fs';
import { root } from '../service-process.ts';
import { fillCatalog, openCatalog, type FilledCatalog } from './catalog.ts';
import type { BenchRequest } from './connection.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { createInstallation, startServers, temporaryFolder, type Installation } from './installation.ts';
import { openLoad } from './load.ts';
import { countingVariable } from './probe-reply.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { quantile } from './statistics.ts';
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
export const recordedCounts = (): RecordedCounts => JSON.parse(readFileSync(file, 'utf8')) as RecordedCounts;

/** Prints the counts for each request, and the recorded ones if they differ. Records the counts if `record` is set. */
export const benchCounts = async (
  selected: readonly Scenario[],
  { servers, record }: { readonly servers: boolean; readonly record: boolean },
): Promise<void> => {
  const results = servers ? await countOnServers(selected) : await countStatements(selected);
  const backend = servers ? 'servers' : 'embedded';
  const recorded = recordedCounts();
  for (const [name, counts] of Object.entries(results)) {
    const [current, previous] = [textOf(counts), textOf(recorded[backend][name])];
    console.log(`${name.padEnd(46)} ${current}${current === previous ? '' : `   recorded: ${previous}`}`);
  }
  if (record) writeFileSync(file, `${JSON.stringify({ ...recorded, [backend]: results }, null, 2)}\n`);
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
export const countStatements = async (chosen: readonly Scenario[]): Promise<CountsByScenario> => {
  await using stack = new AsyncDisposableStack();
  const installation = await createInstallation(root, temporaryFolder(stack), {});
  const filledCatalog = await fillCatalog(installation, collections);
  const subject = await installation.start({ [countingVariable]: '1' });
  stack.defer(subject.kill);
  return await countEach(chosen, { installation, filled: filledCatalog, subject }, async (send) => {
    const before = await subject.readProbe();
    await send(countedRequests);
    const after = await subject.readProbe();
    // Rounding removes the service's background work, which runs every second or less often.
    return { statements: Math.round((after.statements - before.statements) / countedRequests) };
  });
};

/** Counts the messages that the requests cause to PostgreSQL and Redis. */
export const countOnServers = async (chosen: readonly Scenario[]): Promise<CountsByScenario> => {
  await using stack = new AsyncDisposableStack();
  const folder = temporaryFolder(stack);
  const newServers = await startServers(stack);
  const installation = await createInstallation(root, folder, await newServers());
  const filledCatalog = await fillCatalog(installation, collections);
  const { DATABASE_URL = '', REDIS_URL = '' } = installation.servers;
  const [database, redis] = [await startCountingProxy(DATABASE_URL), await startCountingProxy(REDIS_URL)];
  for (const proxy of [database, redis]) stack.defer(proxy.close);
  const subject = await installation.start({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  stack.defer(subject.kill);
  const total = (): readonly number[] => [database.count(), redis.count()].flatMap((c) => [c.messages, c.roundTrips]);
  return await countEach(chosen, { installation, filled: filledCatalog, subject }, async (send) => {
    const differences: (readonly number[])[] = [];
    while (differences.length < countedRequests) {
      const before = total();
      await send(1);
      differences.push(total().map((count, at) => count - (before[at] ?? 0)));
    }
    // Uses the lowest decile, because some requests coincide with background work.
    const lowDecile = (at: number): number =>
      quantile(Float64Array.from(differences, (each) => each[at] ?? NaN).sort(), 0.1);
    return {
      statements: lowDecile(0),
      databaseRoundTrips: lowDecile(1),
      redisCommands: lowDecile(2),
      redisRoundTrips: lowDecile(3),
    };
  });
};

interface CountedService {
  readonly installation: Installation;
  readonly filled: FilledCatalog;
  readonly subject: Subject;
}

const countEach = async (
  chosen: readonly Scenario[],
  { installation, filled, subject }: CountedService,
  count: (send: (count: number) => Promise<void>) => Promise<Counts>,
): Promise<CountsByScenario> => {
  const catalog = await openCatalog(filled, installation);
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
  for (const { name, request } of chosen) results[name] = await withLoad(request(catalog), count);
  return results;
};
