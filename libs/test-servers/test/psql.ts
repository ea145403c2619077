import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findInVersionFolders, findOnPath } from '../src/binaries.ts';

const run = promisify(execFile);

/** Returns the result of a statement, one line per row. */
export async function query(url: string, statement: string): Promise<string> {
  const psql = findOnPath('psql') ?? findInVersionFolders('/usr/lib/postgresql', 'psql')[0];
  if (!psql) throw new Error('psql is not installed.');
  const { stdout } = await run(psql, ['--no-psqlrc', '-At', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', statement]);
  return stdout.trim();
}
