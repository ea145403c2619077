import { beforeAll, describe, expect, test } from 'vitest';
import { absent, startPostgres, startRedis } from '@portico/test-servers';
import { countedCollections } from '../src/bench/bench-counts.ts';
import { countEmbedded, countOnServers } from '../src/bench/counts.ts';
import { countDifferences, readRecordedCounts } from '../src/bench/recorded-counts.ts';
import { scenarios } from '../src/bench/scenarios.ts';
import { canCountSystemCalls } from '../src/bench/system-calls.ts';

/**
 * What each kind of request takes is counted, not timed, so that it is the same on every machine. A difference is a
 * regression, or an improvement to record: `npm run bench -- --part counts --record`, and the same with `--servers`.
 */
const options = { collections: countedCollections, data: null };
const recorded = readRecordedCounts();

describe('On the embedded default', () => {
  let requests: Awaited<ReturnType<typeof countEmbedded>>['requests'];
  beforeAll(async () => {
    ({ requests } = await countEmbedded(scenarios, options));
  });

  test('each kind of request is recorded', () => {
    expect(Object.keys(recorded.embedded)).toEqual(scenarios.map(({ name }) => name));
  });

  test('requests take the recorded statements and allocations', () => {
    const uncalled = Object.entries(requests).map(([name, counts]) => [name, { ...counts, systemCalls: null }]);
    expect(countDifferences(recorded.embedded, Object.fromEntries(uncalled) as typeof requests)).toEqual([]);
  });

  test.skipIf(!canCountSystemCalls() && absent('strace', 'install strace') === null)(
    'requests take the recorded system calls',
    () => {
      expect(countDifferences(recorded.embedded, requests)).toEqual([]);
    },
  );
});

const servers = [await startPostgres(), await startRedis()];
for (const server of servers) await server?.close();

describe.skipIf(servers.includes(null))('On PostgreSQL with Redis', () => {
  test('requests take the recorded statements, commands and round trips', async () => {
    const counted = await countOnServers(scenarios, options);
    expect(counted).toEqual(recorded.servers);
  });
});
