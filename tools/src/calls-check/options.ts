import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../service-process.ts';
import { UsageError } from '../usage-error.ts';
import { factNames, type FactName } from './checks.ts';

export interface CheckOptions {
  /** The folder with the documents. */
  readonly documents: string;
  /** The file name of the only document to check, without `.json`; null for all. */
  readonly document: string | null;
  readonly facts: readonly FactName[];
  readonly json: boolean;
}

export const help = `npm run calls:check [-- OPTIONS]

Compares the description of each operation (slice, tool, curl line, sample request) with the document, as read by a
separate reader. The report goes to standard output, progress to standard error. Exits with 1 if there are differences
that tools/src/calls-check/accepted.ts does not list, or if it lists one that is gone.

  --documents DIR  JSON documents; by default those in ../shared/data/specs, next to the repository
  --document NAME  checks only this document: a file name without ".json"
  --fact NAME      checks only this fact, and can be repeated:
                   ${factNames.slice(0, 6).join(', ')},
                   ${factNames.slice(6).join(', ')}
  --json           prints JSON with all differences
`;

/** Parses the command line; returns null for `--help`. Throws `UsageError`. */
export function readOptions(args: readonly string[]): CheckOptions | null {
  const { help: isHelp, documents, document, fact, json } = parseOptions(args);
  if (isHelp) return null;
  const unknownFact = fact.find((name) => !factNames.includes(name as FactName));
  if (unknownFact !== undefined)
    throw new UsageError(`there is no fact "${unknownFact}": choose from ${factNames.join(', ')}`);
  if (!existsSync(documents))
    throw new UsageError(`there are no documents in ${documents}: pass a folder with --documents`);
  const facts = fact.length > 0 ? (fact as FactName[]) : factNames;
  return { documents, document: document?.replace(/\.json$/, '') ?? null, facts, json };
}

const parseOptions = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        documents: { type: 'string', default: resolve(root, '../shared/data/specs') },
        document: { type: 'string' },
        fact: { type: 'string', multiple: true, default: [] },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};
