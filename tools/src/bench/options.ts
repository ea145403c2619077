import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from '../usage-error.ts';

export const parts = ['embedder', 'operations', 'counts', 'requests', 'path', 'floor'] as const;
export type Part = (typeof parts)[number];
const onlyIfAsked: readonly Part[] = ['path', 'floor'];

export interface BenchOptions {
  readonly parts: readonly Part[];
  /** Requests whose name holds one of these; all of them if there is none. */
  readonly only: readonly string[];
  /** The commit to compare with. */
  readonly against: string | null;
  readonly servers: boolean;
  readonly quick: boolean;
  /** How many readings, each of new processes. */
  readonly repeat: number;
  /** Records what was counted. */
  readonly record: boolean;
  /** How many collections there are; null: as many as the chosen requests want. */
  readonly collections: number | null;
  /** Where filled installations are kept for further runs; null: they are temporary. */
  readonly data: string | null;
  /** Where the figures are written to as JSON. */
  readonly json: string | null;
}

export const help = `npm run bench [-- OPTIONS]

  requests    the CPU time that the service takes for each kind of request, as a multiple of what bare Express takes in
              the same run: short spells of both in turn, of several processes, on one processor that they share with
              the callers; the median of the paired ratios, and the interval that holds it for 95 % of the resamples;
              latencies at half of the rate that these spells have reached
  counts      what each kind of request takes that can be counted: statements, system calls, bytes allocated; on
              servers, statements, commands and round trips
  path        where the CPU time of each kind of request goes, from socket to socket (only if asked for)
  floor       each kind of request on PostgreSQL and Redis beside an Express that asks both once, and does nothing else
              (only if asked for)
  embedder    what the built-in embedder costs
  operations  what the index of operations costs

A figure beyond its budget is marked "over"; beyond twice its budget the run fails.

  --part PART        ${parts.join(', ')} (repeatable)
  --only FRAGMENT    only the requests whose name holds this (repeatable)
  --against COMMIT   also runs the service of this commit in turn, and says which requests changed
  --servers          on a private PostgreSQL and Redis, with budgets of their own
  --quick            fewer and shorter spells
  --repeat COUNT     so many readings, each of newly started processes, and how far apart they are
  --collections N    how many collections there are (10,000 if a search is measured, else 1,000)
  --data FOLDER      keeps the filled catalogs there for further runs (not with --servers)
  --record           records the counts, which \`npm test\` holds (with --part counts)
  --json FILE        also writes the figures, of each spell too, to this file
  --help
`;

/** Reads the command line; null asks for help. Throws `UsageError`. */
export const readOptions = (args: readonly string[]): BenchOptions | null => {
  const values = parsed(args);
  if (values.help) return null;
  const unknown = values.part?.find((part) => !parts.some((known) => known === part));
  if (unknown !== undefined) throw new UsageError(`--part ${unknown}: there are ${parts.join(', ')}`);
  if (values.record && !values.part?.includes('counts')) throw new UsageError('--record: only with --part counts');
  if (values.record && values.only) throw new UsageError('--record: all requests are recorded, not only some');
  if (values.servers && values.data !== undefined) throw new UsageError('--data: the servers are temporary');
  const onlyRequests = values.only !== undefined || values.against !== undefined || values.repeat !== undefined;
  return {
    parts: parts.filter(
      (part) => values.part?.includes(part) ?? (part === 'requests' || (!onlyIfAsked.includes(part) && !onlyRequests)),
    ),
    only: values.only ?? [],
    against: values.against ?? null,
    servers: values.servers,
    quick: values.quick,
    repeat: values.repeat === undefined ? 1 : countOf('--repeat', values.repeat, 1),
    record: values.record,
    collections: values.collections === undefined ? null : countOf('--collections', values.collections, 1_000),
    data: values.data === undefined ? null : resolve(values.data),
    json: values.json ?? null,
  };
};

const countOf = (option: string, text: string, least: number): number => {
  const count = Number(text);
  if (!Number.isInteger(count) || count < least) throw new UsageError(`${option} ${text}: a number from ${least}`);
  return count;
};

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        part: { type: 'string', multiple: true },
        only: { type: 'string', multiple: true },
        against: { type: 'string' },
        servers: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        repeat: { type: 'string' },
        record: { type: 'boolean', default: false },
        collections: { type: 'string' },
        data: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
