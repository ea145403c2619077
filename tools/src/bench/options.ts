import { parseArgs } from 'node:util';
import { UsageError } from '../usage-error.ts';

export interface BenchOptions {
  readonly part: 'requests' | 'counts';
  /** Requests whose name holds one of these; all of them if there is none. */
  readonly only: readonly string[];
  /** The commit to compare with. */
  readonly against: string | null;
  readonly servers: boolean;
  readonly quick: boolean;
  /** Records what was counted. */
  readonly record: boolean;
  /** How many collections there are; null: as many as the chosen requests want. */
  readonly collections: number | null;
}

export const help = `npm run bench [-- OPTIONS]

  requests  the CPU time that the service takes for each kind of request, as a multiple of what bare Express takes in
            the same run: samples of both are interleaved, of several processes, on one processor that they share with
            the callers; the median of the paired ratios and its 95 % interval. The output is a Markdown table. A figure
            beyond its budget is marked "over"; beyond twice its budget the run fails.
  counts    the statements of each kind of request; with --servers also commands and round trips

  --part PART        requests (default) or counts
  --only FRAGMENT    only the requests whose name holds this (repeatable)
  --against COMMIT   also measures the service of this commit, and says which requests changed
  --servers          on a private PostgreSQL and Redis, with budgets of their own
  --quick            fewer and shorter samples
  --collections N    how many collections there are (10,000 if a search is measured, else 1,000)
  --record           records the counts, which \`npm run test:servers\` holds (with --part counts)

  npm run bench:search     searches in process, of collections and of operations
  npm run bench:document   how long others wait while a document of 20 MB goes in
  npm run bench:audit      pages of an audit log of five million entries (-- --servers: on PostgreSQL)
`;

/** Reads the command line; null asks for help. Throws `UsageError`. */
export const readOptions = (args: readonly string[]): BenchOptions | null => {
  const { help: wantsHelp, part, only = [], against = null, collections, ...flags } = parsed(args);
  if (wantsHelp) return null;
  if (part !== 'requests' && part !== 'counts') throw new UsageError(`--part ${part}: there are requests and counts`);
  if (flags.record && (part !== 'counts' || only.length > 0))
    throw new UsageError('--record: with --part counts, and for all requests');
  if (collections !== undefined && !/^\d{4,7}$/.test(collections))
    throw new UsageError(`--collections ${collections}: a number from 1000`);
  return { part, only, against, collections: collections === undefined ? null : Number(collections), ...flags };
};

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        part: { type: 'string', default: 'requests' },
        only: { type: 'string', multiple: true },
        against: { type: 'string' },
        servers: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        collections: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
