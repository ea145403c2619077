import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of a program on PATH, or null. */
export function findOnPath(program: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder && isExecutable(join(folder, program))) return join(folder, program);
  }
  return null;
}

/**
 * Returns the paths of a program, newest version first, for distributions that install each major version in its own
 * folder: `/usr/lib/postgresql/<major>/bin`.
 */
export function findInVersionFolders(root: string, program: string): string[] {
  return globSync(join(root, '*', 'bin', program))
    .filter(isExecutable)
    .sort((a, b) => majorOf(root, b) - majorOf(root, a));
}

const majorOf = (root: string, path: string) => Number.parseInt(path.slice(root.length + 1), 10) || 0;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
