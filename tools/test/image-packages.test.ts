import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../src/service-process.ts';

/** An entry in the lockfile, whose key is a folder. The entries of our own projects are links to their folders. */
interface LockedPackage {
  readonly link?: true;
  readonly resolved?: string;
  /** Whether `--omit=dev` omits the package, because only development dependencies need it. */
  readonly dev?: true;
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly peerDependencies?: Names;
  readonly devDependencies?: Names;
}
type Names = Readonly<Record<string, string>>;
type DependencyKind = 'dependencies' | 'optionalDependencies' | 'peerDependencies' | 'devDependencies';

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const installLine = /^RUN npm ci .*$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[0] ?? '';
const projects = [...installLine.matchAll(/--workspace (\S+)/g)].map(([, project = '']) => project);
const productionKinds = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;

/** Returns the folder that Node imports a package from: the one in the nearest `node_modules` at or above `from`. */
const folderOf = (name: string, from: string): string | null => {
  const folder = join(from, 'node_modules', name);
  const { link, resolved } = packages[folder] ?? {};
  if (packages[folder]) return link ? (resolved ?? null) : folder;
  return from === '.' ? null : folderOf(name, dirname(from));
};

/**
 * Returns the folders of all packages that the projects need through these dependencies, including the projects' own
 * folders.
 */
const findFoldersReachableThrough = (kinds: readonly DependencyKind[]): ReadonlySet<string> => {
  const folders = new Set(projects);
  // The iteration also visits folders that are added during it.
  for (const folder of folders) {
    for (const name of kinds.flatMap((kind) => Object.keys(packages[folder]?.[kind] ?? {}))) {
      const dependency = folderOf(name, folder);
      if (dependency) folders.add(dependency);
    }
  }
  return folders;
};

test('the image has the packages that the service, the worker and the tool need, and none that only tests need', () => {
  expect(projects).toEqual(['apps/http', 'apps/worker', 'apps/cli']);
  expect(installLine).toContain('--omit=dev');
  const neededFolders = findFoldersReachableThrough(productionKinds);
  expect(neededFolders).toContain('node_modules/express');
  // npm also follows the development dependencies of our projects, and then omits the packages marked as `dev`.
  const installedFolders = [...findFoldersReachableThrough([...productionKinds, 'devDependencies'])].filter(
    (folder) => !packages[folder]?.dev,
  );
  const surplusFolders = installedFolders.filter(
    (folder) => folder.startsWith('node_modules') && !neededFolders.has(folder),
  );
  expect(surplusFolders).toEqual([]);
});
