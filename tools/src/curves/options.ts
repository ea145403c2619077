import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../service-process.ts';
import { UsageError } from '../usage-error.ts';

export interface Options {
  /** The names of the curves to measure. */
  readonly curves: readonly string[];
  readonly quick: boolean;
  readonly idleMinutes: number;
  /** Null: the figures are printed, and written nowhere. */
  readonly out: string | null;
}

export const helpOf = (
  curves: readonly { readonly name: string; readonly title: string }[],
): string => `npm run curves [-- OPTIONS]

Measures how the cost of one thing grows with the size of another, and writes a table for each curve, JSON and charts:
curves.md, curves.json and an SVG for each, to docs/performance. Services, databases and a proxy are its own, in
temporary folders that need some 20 GB. All curves take about 20 minutes on two cores; progress goes to standard error.

  --only NAME,…       measures these alone, and keeps the recorded figures of the others
  --quick             small sizes and few repetitions: prints the tables, and writes only with --out
  --idle-minutes N    how long the idle service is watched (3)
  --out DIR           where the files are written

Curves:
${curves.map(({ name, title }) => `  ${name.padEnd(18)}  ${title}`).join('\n')}
`;

/** Reads the command line; null asks for help. Throws `UsageError`. */
export const readOptions = (args: readonly string[], known: readonly string[]): Options | null => {
  const { help, only, quick, out, 'idle-minutes': idle } = parsed(args);
  if (help) return null;
  const wanted = (only ?? []).flatMap((names) => names.split(',')).filter((name) => name !== '');
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`there is no curve ${unknown}: choose among ${known.join(', ')}`);
  if (!/^\d{1,4}(\.\d+)?$/.test(idle)) throw new UsageError('--idle-minutes must be a number');
  return {
    curves: known.filter((name) => wanted.length === 0 || wanted.includes(name)),
    quick,
    idleMinutes: Number(idle),
    out: out ?? (quick ? null : join(root, 'docs/performance')),
  };
};

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true },
        quick: { type: 'boolean', default: false },
        'idle-minutes': { type: 'string', default: '3' },
        out: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
