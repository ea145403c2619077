import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { subjectFaults } from '../src/commits/subject-faults.ts';

describe('a subject', () => {
  test('of 72 characters in the imperative has no fault', () => {
    const subject = `Limit ${'a'.repeat(66)}`;
    expect(subject).toHaveLength(72);
    expect(subjectFaults(subject)).toEqual([]);
  });

  test.each([
    ['too long', `Limit ${'a'.repeat(67)}`, 'has 73 characters'],
    ['without a verb', 'Sketches of blocks for each process', 'does not start with a verb'],
    ['in the third person', 'Adds a limit for imports', 'does not start with a verb'],
    ['in the past tense', 'Added a limit for imports', 'does not start with a verb'],
    ['with a prefix', 'docs: measure again', 'does not start with a capital letter'],
    ['in lower case', 'add a limit for imports', 'does not start with a capital letter'],
    ['with a period', 'Add a limit for imports.', 'ends with a period or an exclamation mark'],
  ])('%s has a fault', (_, subject, fault) => {
    expect(subjectFaults(subject).join('\n')).toContain(fault);
  });
});

describe('the check of a repository', () => {
  const source = join(import.meta.dirname, '../src/commits');
  let folder: string;
  const runGit = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: folder });
  };
  const commit = (subject: string): void => runGit('commit', '-q', '--allow-empty', '-m', subject);
  const addCheck = (): void => {
    mkdirSync(join(folder, 'tools/src/commits'), { recursive: true });
    for (const file of ['main.ts', 'subject-faults.ts'])
      copyFileSync(join(source, file), join(folder, 'tools/src/commits', file));
    runGit('add', '.');
    commit('this subject was there before the check.');
  };
  const check = (cwd = folder): { readonly status: number | null; readonly output: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(source, 'main.ts')], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
    });
    return { status, output: `${stdout}${stderr}` };
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portico-commits-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('passes commits whose subjects have no fault, and commits before the check was added', () => {
    runGit('init', '-q');
    addCheck();
    commit('Add a limit for imports');
    expect(check()).toEqual({ status: 0, output: 'subjects checked: 1, faults: 0\n' });
  });

  test('fails with the hash and the fault of a later commit', () => {
    runGit('init', '-q');
    addCheck();
    commit('Imports are limited');
    commit('Add a limit for imports');
    const { status, output } = check();
    expect(status).toBe(1);
    expect(output).toMatch(/^[0-9a-f]{7,} does not start with a verb in the imperative.*: Imports are limited$/m);
  });

  test('reports a shallow clone', () => {
    runGit('init', '-q');
    addCheck();
    commit('Add a limit for imports');
    commit('Document the limit for imports');
    const clone = join(folder, 'clone');
    runGit('clone', '-q', '--depth', '2', `file://${folder}`, clone);
    const { status, output } = check(clone);
    expect(status).toBe(0);
    expect(output).toContain('the clone is shallow: commits before');
    expect(output).toContain('subjects checked: 1,');
  });

  test.each([
    ['a folder without git', () => {}, 'skipped: this folder has no git history'],
    [
      'a history without the commit that added the check',
      () => {
        runGit('init', '-q');
        commit('Imports are limited');
      },
      'skipped: the commit that added this check is not in the history',
    ],
  ])('skips %s, and reports it', (_, prepare, message) => {
    prepare();
    expect(check()).toEqual({ status: 0, output: `${message}\n` });
  });
});
