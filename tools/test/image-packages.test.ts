import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../src/service-process.ts';

/** An entry of the lockfile, keyed by its folder; our own projects are links to their folders. */
interface LockedPackage {
  readonly link?: true;
  readonly resolved?: string;
  /** Whether `--omit=dev` leaves it out: only development dependencies need it. */
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
const production = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;

/** Where Node finds a package that a folder imports: in the nearest `node_modules` above. */
const folderOf = (name: string, from: string): string | null => {
  const folder = join(from, 'node_modules', name);
  const { link, resolved } = packages[folder] ?? {};
  if (packages[folder]) return link ? (resolved ?? null) : folder;
  return from === '.' ? null : folderOf(name, dirname(from));
};

/** The folders of all packages that the projects depend on in these ways, including the projects' own. */
const reachedBy = (kinds: readonly DependencyKind[]): ReadonlySet<string> => {
  const reached = new Set(projects);
  // The iteration also visits what is added on the way.
  for (const folder of reached) {
    for (const name of kinds.flatMap((kind) => Object.keys(packages[folder]?.[kind] ?? {}))) {
      const found = folderOf(name, folder);
      if (found) reached.add(found);
    }
  }
  return reached;
};

test('the image gets the packages that service, worker and tool need, and none that only tests need', () => {
  expect(projects).toEqual(['apps/http', 'apps/worker', 'apps/cli']);
  expect(installLine).toContain('--omit=dev');
  const needed = reachedBy(production);
  expect(needed).toContain('node_modules/express');
  // npm also follows the development dependencies of our projects, and then leaves out the marked ones.
  const installed = [...reachedBy([...production, 'devDependencies'])].filter((folder) => !packages[folder]?.dev);
  const surplus = installed.filter((folder) => folder.startsWith('node_modules') && !needed.has(folder));
  expect(surplus).toEqual([]);
});
