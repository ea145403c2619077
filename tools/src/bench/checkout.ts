import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../service-process.ts';

export interface Checkout {
  readonly root: string;
  /** The commit's short hash. */
  readonly commit: string;
  readonly remove: () => void;
}

/**
 * Checks out a commit in a temporary worktree. Uses the packages installed here if the commit's lockfile contains the
 * same ones, or else runs `npm ci`.
 */
export const checkOut = (revision: string): Checkout => {
  const commit = runGit('rev-parse', '--short', `${revision}^{commit}`);
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-commit-'));
  const worktree = join(folder, commit);
  runGit('worktree', 'add', '--detach', worktree, commit);
  const remove = (): void => {
    runGit('worktree', 'remove', '--force', worktree);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (lockOf(worktree) === lockOf(root)) linkPackages(worktree);
    else
      execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: worktree, stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    remove();
    throw error;
  }
  return { root: worktree, commit, remove };
};

/** Returns the short hash of the current commit, with a `+` if there are uncommitted changes. */
export const readCurrentCommit = (): string =>
  runGit('rev-parse', '--short', 'HEAD') + (runGit('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+');

const runGit = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Returns the packages in the lockfile, without those of the workspace. */
const lockOf = (folder: string): string => {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, object>;
  };
  return JSON.stringify(Object.entries(lock.packages).filter(([path]) => path.includes('node_modules/')));
};

/**
 * Links each installed package, but copies the links to the workspace's own packages, so that they point to the sources
 * in the worktree.
 */
const linkPackages = (worktree: string): void => {
  const workspaces = runGit('ls-files', '*package.json').split('\n').map(dirname);
  for (const workspace of workspaces) {
    const from = join(root, workspace, 'node_modules');
    const to = join(worktree, workspace, 'node_modules');
    if (!existsSync(from) || !existsSync(dirname(to))) continue;
    mkdirSync(to);
    for (const entry of readdirSync(from)) {
      if (entry === '@portico') cpSync(join(from, entry), join(to, entry), { recursive: true, verbatimSymlinks: true });
      else symlinkSync(join(from, entry), join(to, entry));
    }
  }
};
