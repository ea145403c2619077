import { parseArgs } from 'node:util';
import { UsageError } from '../usage-error.ts';

export interface BenchOptions {
  readonly part: 'requests' | 'counts';
  /** Fragments of request names; empty for all requests. */
  readonly only: readonly string[];
  /** The commit to compare with. */
  readonly against: string | null;
  readonly servers: boolean;
  readonly quick: boolean;
  /** Whether to record the counts. */
  readonly record: boolean;
  /** The number of collections; null for the default for the selected requests. */
  readonly collections: number | null;
}

export const help = `npm run bench [-- OPTIONS]

  requests  the service's CPU time for each kind of request, as a multiple of bare Express in the same run: interleaved
            samples of several processes, on one CPU that they share with the callers; the median of the paired ratios
            and its 95 % interval. The output is a Markdown table. A figure over its budget is marked "over"; over
            twice its budget the run fails.
  counts    the statements of each kind of request; with --servers also commands and round trips

  --part PART        requests (default) or counts
  --only FRAGMENT    only requests whose name contains this (repeatable)
  --against COMMIT   also measures the service of this commit, and reports changes
  --servers          on a private PostgreSQL and Redis, with separate budgets
  --quick            fewer and shorter samples
  --collections N    the number of collections (10,000 if a search is measured, else 1,000)
  --record           records the counts, which \`npm run test:servers\` checks (with --part counts)

  npm run bench:search     searches in process, of collections and of operations
  npm run bench:document   the longest wait of other requests during an import of 20 MB
  npm run bench:audit      pages of an audit log of five million entries (-- --servers: on PostgreSQL)
`;

/** Parses the command line; returns null for `--help`. Throws `UsageError`. */
export const readOptions = (args: readonly string[]): BenchOptions | null => {
  const { help: wantsHelp, part, only = [], against = null, collections, ...flags } = parseOptions(args);
  if (wantsHelp) return null;
  if (part !== 'requests' && part !== 'counts') throw new UsageError(`--part ${part}: choose requests or counts`);
  if (flags.record && (part !== 'counts' || only.length > 0))
    throw new UsageError('--record requires --part counts, and cannot be used with --only');
  if (collections !== undefined && !/^\d{4,7}$/.test(collections))
    throw new UsageError(`--collections ${collections}: expected a number of at least 1000`);
  return { part, only, against, collections: collections === undefined ? null : Number(collections), ...flags };
};

const parseOptions = (args: readonly string[]) => {
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
