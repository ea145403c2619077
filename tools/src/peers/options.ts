import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../service-process.ts';
import { UsageError } from '../usage-error.ts';

export const peerNames = ['directus', 'strapi', 'sqlite-vec'] as const;
export type PeerName = (typeof peerNames)[number];

export interface PeerOptions {
  readonly only: readonly PeerName[];
  /** Where the peers are installed, and stay; null: in a temporary folder. */
  readonly folder: string | null;
  /** Texts to embed; null: there are none, so that vectors are made up. */
  readonly data: string | null;
  /** Where `peers.md` and `peers.json` are written to. */
  readonly into: string | null;
  readonly quick: boolean;
}

export const help = `npm run bench:peers [-- OPTIONS]

Measures what a user could pick instead, in one run with the service and bare Express: the CPU time of Directus and of
Strapi for the same reads of the same rows, and a search among the same vectors by sqlite-vec. It installs them from the
registry of npm, starts all of them on folders of their own, and ends and removes them. A compiler for C++ is needed
where no built sqlite3 can be fetched. Markdown goes to standard output, progress to standard error.

  --only PEER     ${peerNames.join(', ')} (repeatable; all by default)
  --folder DIR    installs there instead of in a temporary folder, and leaves it for the next run
  --data DIR      catalog.jsonl and training-text.jsonl.gz, whose texts are embedded for the search; ../shared/data,
                  beside the repository, where it is there, else made-up vectors in clusters
  --into DIR      also writes peers.md and peers.json there; what --only leaves out is kept as it was
  --quick         fewer and shorter spells
  --help
`;

/** Reads the command line; null asks for help. Throws `UsageError`. */
export const readOptions = (
  args: readonly string[],
  usualData = resolve(root, '../shared/data'),
): PeerOptions | null => {
  const values = parsed(args);
  if (values.help) return null;
  const only = values.only ?? peerNames;
  const unknown = only.find((name) => !peerNames.some((known) => known === name));
  if (unknown !== undefined) throw new UsageError(`--only ${unknown}: there are ${peerNames.join(', ')}`);
  if (values.data !== undefined && !existsSync(values.data))
    throw new UsageError(`--data ${values.data}: no such folder`);
  return {
    only: peerNames.filter((name) => only.includes(name)),
    folder: values.folder === undefined ? null : resolve(values.folder),
    data: values.data ?? (existsSync(usualData) ? usualData : null),
    into: values.into === undefined ? null : resolve(values.into),
    quick: values.quick,
  };
};

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true },
        folder: { type: 'string' },
        data: { type: 'string' },
        into: { type: 'string' },
        quick: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
