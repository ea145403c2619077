import { execFileSync, spawnSync } from 'node:child_process';
import { subjectFaults } from './subject-faults.ts';

/**
 * Checks the subjects of all commits after the one that added this check, except merges. Exits with 1 if one has a
 * fault. If the history is incomplete or missing, it checks the commits that are there, or none, and reports that.
 */
const runGit = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

const isRepository = (): boolean => spawnSync('git', ['rev-parse', '--git-dir']).status === 0;

const checkCommits = (): number => {
  if (!isRepository()) {
    console.log('skipped: this folder has no git history');
    return 0;
  }
  const isShallow = runGit('rev-parse', '--is-shallow-repository') === 'true';
  const firstCommit = runGit('log', '--diff-filter=A', '--format=%H', '--', 'tools/src/commits/main.ts')
    .split('\n')
    .at(-1);
  if (!firstCommit) {
    console.log('skipped: the commit that added this check is not in the history');
    return 0;
  }
  const commits = runGit('log', '--no-merges', '--format=%h %s', `${firstCommit}..HEAD`).split('\n').filter(Boolean);
  if (isShallow)
    console.log(`the clone is shallow: commits before ${firstCommit.slice(0, 8)} are missing and not checked`);
  const faults = commits.flatMap((commit) => {
    const [hash = '', ...subject] = commit.split(' ');
    return subjectFaults(subject.join(' ')).map((fault) => `${hash} ${fault}: ${subject.join(' ')}`);
  });
  for (const fault of faults) console.error(fault);
  console.log(`subjects checked: ${commits.length}, faults: ${faults.length}`);
  return faults.length === 0 ? 0 : 1;
};

process.exitCode = checkCommits();
