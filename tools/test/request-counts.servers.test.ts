import { describe, expect, test } from 'vitest';
import { startPostgres, startRedis } from '@portico/test-servers';
import { countOnServers, countStatements, readRecordedCounts } from '../src/bench/counts.ts';
import { scenarios } from '../src/bench/scenarios.ts';

/**
 * The cost of each kind of request is counted, not timed, so that it is the same on every machine. A difference is
 * either a regression, or an improvement that has to be recorded with `npm run bench -- --part counts --record`, and
 * again with `--servers`.
 */
test('on the embedded database, each kind of request runs the recorded number of statements', async () => {
  expect(await countStatements(scenarios)).toEqual(readRecordedCounts().embedded);
});

const servers = [await startPostgres(), await startRedis()];
for (const server of servers) await server?.close();

describe.skipIf(servers.includes(null))('On PostgreSQL with Redis', () => {
  test('requests cause the recorded numbers of statements, commands and round trips', async () => {
    expect(await countOnServers(scenarios)).toEqual(readRecordedCounts().servers);
  });
});
