import { readFileSync, writeFileSync } from 'node:fs';
import { root } from '../service-process.ts';
import { fillCatalog, openCatalog, type FilledCatalog } from './catalog.ts';
import type { BenchRequest } from './connection.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { createInstallation, startServers, temporaryFolder, type Installation } from './installation.ts';
import { openLoad } from './load.ts';
import { countingVariable } from './probe-answer.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { quantile } from './statistics.ts';
import type { Subject } from './subject.ts';

/** What one request takes of a caller who sends one after the other. */
export interface Counts {
  /** Of SQLite, in all threads; or of PostgreSQL, as counted on the wire like all that follows. */
  readonly statements: number;
  readonly databaseRoundTrips?: number;
  readonly redisCommands?: number;
  readonly redisRoundTrips?: number;
}

/** By the names of the scenarios. */
type ByName = Readonly<Record<string, Counts>>;

/** What requests take; `npm run bench -- --part counts --record` writes it. */
interface RecordedCounts {
  readonly embedded: ByName;
  readonly servers: ByName;
}

const file = new URL('counts.json', import.meta.url);
export const recordedCounts = (): RecordedCounts => JSON.parse(readFileSync(file, 'utf8')) as RecordedCounts;

/** Prints what each request takes, and how it differs from what is recorded; or records it. */
export const benchCounts = async (
  chosen: readonly Scenario[],
  { servers, record }: { readonly servers: boolean; readonly record: boolean },
): Promise<void> => {
  const counted = servers ? await countOnServers(chosen) : await countStatements(chosen);
  const backend = servers ? 'servers' : 'embedded';
  const recorded = recordedCounts();
  for (const [name, counts] of Object.entries(counted)) {
    const [now, then] = [textOf(counts), textOf(recorded[backend][name])];
    console.log(`${name.padEnd(46)} ${now}${now === then ? '' : `   recorded: ${then}`}`);
  }
  if (record) writeFileSync(file, `${JSON.stringify({ ...recorded, [backend]: counted }, null, 2)}\n`);
};

const textOf = (counts: Counts | undefined): string =>
  Object.entries(counts ?? {})
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');

/** So few that they are soon there: what is counted hardly depends on how many there are. */
const collections = 200;
/** Requests of a kind that are counted, and those before them. */
const [countedRequests, warmUpRequests] = [200, 100];

/** Counts the statements on a new installation on SQLite. */
export const countStatements = async (chosen: readonly Scenario[]): Promise<ByName> => {
  await using stack = new AsyncDisposableStack();
  const installation = await createInstallation(root, temporaryFolder(stack), {});
  const filled = await fillCatalog(installation, collections);
  const subject = await installation.start({ [countingVariable]: '1' });
  stack.defer(subject.end);
  return await countEach(chosen, { installation, filled, subject }, async (send) => {
    const before = await subject.ask();
    await send(countedRequests);
    const after = await subject.ask();
    // What the service does besides, each second or less often, is lost in rounding.
    return { statements: Math.round((after.statements - before.statements) / countedRequests) };
  });
};

/** Counts what the requests ask of PostgreSQL and Redis. */
export const countOnServers = async (chosen: readonly Scenario[]): Promise<ByName> => {
  await using stack = new AsyncDisposableStack();
  const folder = temporaryFolder(stack);
  const newServers = await startServers(stack);
  const installation = await createInstallation(root, folder, await newServers());
  const filled = await fillCatalog(installation, collections);
  const { DATABASE_URL = '', REDIS_URL = '' } = installation.servers;
  const [database, redis] = [await startCountingProxy(DATABASE_URL), await startCountingProxy(REDIS_URL)];
  for (const proxy of [database, redis]) stack.defer(proxy.close);
  const subject = await installation.start({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  stack.defer(subject.end);
  const total = (): readonly number[] => [database.count(), redis.count()].flatMap((c) => [c.messages, c.roundTrips]);
  return await countEach(chosen, { installation, filled, subject }, async (send) => {
    const taken: (readonly number[])[] = [];
    while (taken.length < countedRequests) {
      const before = total();
      await send(1);
      taken.push(total().map((count, at) => count - (before[at] ?? 0)));
    }
    // What nine of ten requests take at least: what the service does besides comes with some of them.
    const least = (at: number): number => quantile(Float64Array.from(taken, (each) => each[at] ?? NaN).sort(), 0.1);
    return {
      statements: least(0),
      databaseRoundTrips: least(1),
      redisCommands: least(2),
      redisRoundTrips: least(3),
    };
  });
};

interface Counted {
  readonly installation: Installation;
  readonly filled: FilledCatalog;
  readonly subject: Subject;
}

const countEach = async (
  chosen: readonly Scenario[],
  { installation, filled, subject }: Counted,
  count: (send: (count: number) => Promise<void>) => Promise<Counts>,
): Promise<ByName> => {
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
  // All kinds: what is prepared and cached depends on what was asked before.
  for (const { request } of scenarios) await withLoad(request(catalog), (send) => send(warmUpRequests));
  const counted: Record<string, Counts> = {};
  for (const { name, request } of chosen) counted[name] = await withLoad(request(catalog), count);
  return counted;
};
