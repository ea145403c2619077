import { writeFile } from 'node:fs/promises';
import { createDocumentReader } from '@portico/composition';
import type { ChangeCounts, ChangeLevel } from '@portico/domain';
import { formatDiff, type DiffFormat } from '../diff/change-formats.ts';
import { readVersion } from '../diff/read-version.ts';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';

export interface DiffOptions {
  /** By default text, or JSON with `--json`. */
  readonly format?: DiffFormat;
  readonly failOn?: Exclude<ChangeLevel, 'info'>;
  /** The file for the report; by default, it goes to standard output. */
  readonly output?: string;
}

/** Compares two documents without a server or stores, prints the report, and returns the numbers of changes. */
export const compareFiles = async (
  terminal: Terminal,
  [before, after]: readonly [string, string],
  { format = terminal.json ? 'json' : 'text', output }: DiffOptions,
): Promise<ChangeCounts> => {
  if (before === '-' && after === '-')
    throw new OperatorError('only one of the documents can be standard input ("-")', exitCodes.usage);
  if (terminal.json && format !== 'json')
    throw new OperatorError(`pass --json or --format ${format}, not both`, exitCodes.usage);
  const documents = createDocumentReader();
  try {
    const { document: oldDocument } = await readVersion(documents, terminal, before);
    const { document: newDocument, path } = await readVersion(documents, terminal, after);
    const comparison = await documents.compare(oldDocument.packed, newDocument.packed, null);
    const report = `${formatDiff(format, { ...comparison, path })}\n`;
    if (output === undefined) terminal.io.stdout.write(report);
    else await writeReport(output, report);
    return comparison.counts;
  } finally {
    await documents.close();
  }
};

const writeReport = async (file: string, report: string): Promise<void> => {
  try {
    await writeFile(file, report);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new OperatorError(`${file}: the report cannot be written (${code})`);
  }
};
