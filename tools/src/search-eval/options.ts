import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../service-process.ts';
import { UsageError } from '../usage-error.ts';

/** The data to evaluate, and what to do with the figures. */
export interface EvaluationOptions {
  /** The files to evaluate; null if no collections are evaluated. */
  readonly collections: { readonly corpus: string; readonly queries: string } | null;
  /** The folder to evaluate; null if no operations are evaluated. */
  readonly operations: string | null;
  readonly json: boolean;
  /** `check` fails if a figure has fallen below the recorded one. `write` writes the record. */
  readonly record: 'check' | 'write' | null;
}

export const help = `npm run search:eval [-- OPTIONS]

Measures the quality of search on labelled queries: nDCG@10, recall@10 and MRR, with 95 % intervals, for the embedder
of the service (the built-in one, or that of OLLAMA_URL), compared with BM25. It starts a separate service in an empty
folder that it removes. Markdown goes to standard output, progress to standard error.

  --corpus FILE     the APIs, one JSON object per line: {"id", "name", "description"}
  --queries FILE    the queries, a JSON array: {"id", "query", "kind", "relevant": {"API ID": 2 or 1}}
  --operations DIR  operations: tasks.json, families.json (optional), and documents in "specs", in or next to it
  --json            prints JSON instead of Markdown
  --check           fails if a figure of the built-in embedder is more than 0.015 below the recorded one
  --record          records the figures of the built-in embedder

Without --corpus, --queries and --operations it uses the labelled data in ../shared/data, next to the repository.
`;

const sharedData = resolve(root, '../shared/data');

/** Parses the command line; returns null for `--help`. Throws `UsageError`. */
export const readOptions = (args: readonly string[], data = sharedData): EvaluationOptions | null => {
  const values = parseOptions(args);
  if (values.help) return null;
  const { corpus, queries, operations } = values;
  if ((corpus === undefined) !== (queries === undefined))
    throw new UsageError('--corpus and --queries must be used together');
  const hasOwnData = corpus !== undefined || operations !== undefined;
  if (values.check && values.record) throw new UsageError('--check and --record cannot be used together');
  const record = values.check ? 'check' : values.record ? 'write' : null;
  if (record && hasOwnData) throw new UsageError(`--check and --record use the labelled data in ${data}, not your own`);
  if (!hasOwnData && !existsSync(join(data, 'catalog-eval.jsonl')))
    throw new UsageError(`there is no labelled data in ${data}: pass your own with --corpus and --queries`);
  const files =
    corpus !== undefined && queries !== undefined
      ? { corpus, queries }
      : { corpus: join(data, 'catalog-eval.jsonl'), queries: join(data, 'queries-dev.json') };
  return {
    collections: hasOwnData && corpus === undefined ? null : files,
    operations: hasOwnData ? (operations ?? null) : join(data, 'operations'),
    json: values.json,
    record,
  };
};

const parseOptions = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        corpus: { type: 'string' },
        queries: { type: 'string' },
        operations: { type: 'string' },
        json: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
