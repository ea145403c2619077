import type { EmbeddedFiles } from '@portico/composition';
import { fileExists } from './files.ts';
import { OperatorError } from './terminal.ts';

/**
 * Runs `work` if no process uses the database; otherwise throws an `OperatorError`. A missing or broken database counts
 * as unused.
 */
export const runWhileUnused = async (
  { database, runExclusively }: EmbeddedFiles,
  work: () => Promise<void>,
): Promise<void> => {
  if (!(await fileExists(database))) return work();
  let hasStarted = false;
  const start = () => {
    hasStarted = true;
    return work();
  };
  const isUnused = await runExclusively(start).catch(async (error: unknown) => {
    if (hasStarted || !/^SQLITE_(NOTADB|CORRUPT)/.test(String((error as { code?: unknown }).code))) throw error;
    await work();
    return true;
  });
  if (!isUnused) throw new OperatorError(`a process uses ${database}: stop the service and its workers first`);
};
