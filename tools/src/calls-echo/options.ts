import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../service-process.ts';
import { UsageError } from '../usage-error.ts';

export interface EchoOptions {
  readonly documents: string;
  readonly operations: number;
  readonly curl: number;
  readonly seed: number;
  readonly json: boolean;
}

export const help = `npm run calls:echo [-- OPTIONS]

Prepares requests for generated arguments of randomly chosen operations, sends them to a server on this machine that
records them, and validates the recorded requests with an independent OpenAPI validator. Exits with 1 if fewer than
99 % are valid, or if a curl line sends a different request.

  --documents DIR   JSON documents; by default those in ../shared/data/specs, next to the repository
  --operations N    how many operations; 2,000 by default
  --curl N          for how many of them the curl line is run too; 300 by default
  --seed N          chooses the operations and arguments; 1 by default
  --json            prints JSON with all results that are not valid
`;

/** Parses the command line; returns null for `--help`. Throws `UsageError`. */
export function readOptions(args: readonly string[]): EchoOptions | null {
  const values = parseOptions(args);
  if (values.help) return null;
  if (!existsSync(values.documents))
    throw new UsageError(`there are no documents in ${values.documents}: pass a folder with --documents`);
  const { documents, json } = values;
  const readNumber = (name: 'operations' | 'curl' | 'seed'): number => {
    if (!/^\d{1,9}$/.test(values[name])) throw new UsageError(`--${name} must be a number, such as --${name} 100`);
    return Number(values[name]);
  };
  return { documents, json, operations: readNumber('operations'), curl: readNumber('curl'), seed: readNumber('seed') };
}

const parseOptions = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        documents: { type: 'string', default: resolve(root, '../shared/data/specs') },
        operations: { type: 'string', default: '2000' },
        curl: { type: 'string', default: '300' },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
