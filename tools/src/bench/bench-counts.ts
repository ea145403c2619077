import { countEmbedded, countOnServers, type EmbeddedCounts, type ServerCounts } from './counts.ts';
import { countDifferences, readRecordedCounts, recordCounts } from './recorded-counts.ts';
import type { Scenario } from './scenarios.ts';
import { canCountSystemCalls } from './system-calls.ts';

/** So few that they are soon there: what is counted hardly depends on how many there are. */
export const countedCollections = 200;

/** Prints what each request takes, and how it differs from what is recorded; or records it. */
export const benchCounts = async (
  chosen: readonly Scenario[],
  { servers, record }: { readonly servers: boolean; readonly record: boolean },
  print: (line: string) => void,
): Promise<void> => {
  const options = { collections: countedCollections, data: null };
  const recorded = readRecordedCounts();
  if (servers) {
    const counted = await countOnServers(chosen, options);
    print('counted for one request, on PostgreSQL and Redis');
    for (const [name, counts] of Object.entries(counted)) print(serverLine(name, counts));
    if (record) recordCounts({ servers: counted });
    else for (const line of differences(countDifferences(recorded.servers, counted))) print(line);
    return;
  }
  const { requests, bare } = await countEmbedded(chosen, options);
  print('counted for one request');
  print(`${'bare Express'.padEnd(nameWidth)} ${bytes(bare.heapBytes)} of heap`);
  for (const [name, counts] of Object.entries(requests)) print(embeddedLine(name, counts));
  if (!canCountSystemCalls()) print('System calls are not counted: that takes Linux and strace.');
  if (record) recordCounts({ embedded: requests });
  else for (const line of differences(countDifferences(recorded.embedded, requests))) print(line);
};

const nameWidth = 46;

const bytes = (count: number): string => `${(count / 1_000).toFixed(1).padStart(6)} KB`;

const embeddedLine = (name: string, counts: EmbeddedCounts): string => {
  const calls = Object.entries(counts.systemCalls ?? {}).map(([call, count]) => `${count} ${call}`);
  const buffers = counts.bufferBytes > 0 ? `, ${bytes(counts.bufferBytes).trim()} of buffers` : '';
  return `${name.padEnd(nameWidth)} ${bytes(counts.heapBytes)} of heap${buffers}; statements: ${counts.statements}; ${calls.join(', ')}`;
};

const serverLine = (name: string, counts: ServerCounts): string =>
  `${name.padEnd(nameWidth)} PostgreSQL: ${counts.statements} statements in ${counts.databaseRoundTrips} round trips; Redis: ${counts.redisCommands} commands in ${counts.redisRoundTrips}`;

const differences = (found: readonly string[]): readonly string[] =>
  found.length === 0
    ? ['\nAs recorded in counts.json.']
    : ['\nOtherwise than recorded in counts.json (--record records it):', ...found.map((line) => `  ${line}`)];
