import { describe, expect, test } from 'vitest';
import { startPostgres, startRedis } from '@portico/test-servers';
import { countedCollections } from '../src/bench/bench-counts.ts';
import { countOnServers, countStatements } from '../src/bench/counts.ts';
import { readRecordedCounts } from '../src/bench/recorded-counts.ts';
import { scenarios } from '../src/bench/scenarios.ts';

/**
 * What each kind of request takes is counted, not timed, so that it is the same on every machine. A difference is a
 * regression, or an improvement to record: `npm run bench -- --part counts --record`, and the same with `--servers`.
 */
const options = { collections: countedCollections, data: null };
const recorded = readRecordedCounts();

test('on the embedded default each kind of request takes the recorded statements', async () => {
  const statements = Object.entries(recorded.embedded).map(([name, counts]) => [name, counts.statements]);
  expect(await countStatements(scenarios, options)).toEqual(Object.fromEntries(statements));
});

const servers = [await startPostgres(), await startRedis()];
for (const server of servers) await server?.close();

describe.skipIf(servers.includes(null))('On PostgreSQL with Redis', () => {
  test('requests take the recorded statements, commands and round trips', async () => {
    expect(await countOnServers(scenarios, options)).toEqual(recorded.servers);
  });
});
