import type { EmbeddedFiles } from '@portico/composition';
import { isThere } from './files.ts';
import { OperatorError } from './terminal.ts';

/**
 * Does the work while no process uses the database; throws an `OperatorError` if one does. A missing or broken database
 * counts as unused.
 */
export const whileUnused = async ({ database, alone }: EmbeddedFiles, work: () => Promise<void>): Promise<void> => {
  if (!(await isThere(database))) return work();
  let begun = false;
  const begin = () => {
    begun = true;
    return work();
  };
  const isUnused = await alone(begin).catch(async (error: unknown) => {
    if (begun || !/^SQLITE_(NOTADB|CORRUPT)/.test(String((error as { code?: unknown }).code))) throw error;
    await work();
    return true;
  });
  if (!isUnused) throw new OperatorError(`a process uses ${database}: stop the service and its workers first`);
};
