import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished } from 'vitest';
import { root } from '../../src/service-process.ts';
import { createInstallation } from '../installation.ts';
import { inheritedVariables, runTool, toolArguments, type ToolRun } from '../run-tool.ts';

const run = promisify(execFile);

export type Variables = Readonly<Record<string, string>>;

/** A finding that the doctor must report. */
export interface ExpectedFinding {
  readonly id: string;
  readonly state: 'warning' | 'wrong';
  readonly message: RegExp;
  readonly advice: RegExp;
}

export interface Fault extends ExpectedFinding {
  /** A clause that becomes part of the test's title. */
  readonly fault: string;
  /** Breaks the healthy installation in this folder, and returns the variables that the fault needs. */
  readonly inject: (folder: string) => Variables | Promise<Variables>;
  /** Additional findings that the fault causes. */
  readonly consequences?: readonly ExpectedFinding[];
  /** The checks that the fault prevents. */
  readonly skips?: readonly string[];
  /** A shell command that runs before the tool, in the tool's own process. */
  readonly setupCommand?: string;
}

interface CheckResult extends Readonly<Record<'said', string>> {
  readonly id: string;
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  readonly advice: string | null;
}

export interface Diagnosis {
  readonly code: number;
  readonly output: string;
  readonly wrong: number;
  readonly warnings: number;
  readonly checks: readonly CheckResult[];
}

/** The password in every fault that contains one. It must not appear in the output. */
export const password = 'hunter2-of-the-test';

/** Runs the tool. With a `setupCommand`, it runs in a shell that runs this command first. */
export const runDoctor = async (variables: Variables, setupCommand?: string): Promise<Diagnosis> => {
  const environment = { NODE_ENV: 'development', PORT: String(await findFreePort()), ...variables };
  const toolRun =
    setupCommand === undefined ? runTool(environment, ['doctor', '--json']) : runDoctorAfter(setupCommand, environment);
  const { code, stdout, stderr } = await toolRun;
  if (stdout === '') throw new Error(stderr);
  return { code, output: stdout + stderr, ...(JSON.parse(stdout) as Omit<Diagnosis, 'code' | 'output'>) };
};

const runDoctorAfter = (setupCommand: string, variables: Variables): Promise<ToolRun> => {
  const command = ['-c', `${setupCommand}; exec "$@"`, 'sh', process.execPath, ...toolArguments, 'doctor', '--json'];
  return run('sh', command, { cwd: root, env: { ...inheritedVariables, ...variables } }).then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => error as ToolRun,
  );
};

/** Creates a healthy installation with the embedded stores that has been started once. Tests break copies of it. */
export const createHealthyInstallation = async (): Promise<{ copy: () => string; remove: () => Promise<void> }> => {
  const installation = await createInstallation();
  expect((await installation.runTool('people', 'list', '--admins')).code).toBe(0);
  return {
    copy() {
      const folder = createTemporaryFolder(onTestFinished);
      cpSync(installation.folder, folder, { recursive: true });
      chmodSync(folder, 0o700);
      return folder;
    },
    remove: installation.remove,
  };
};

/** Injects the fault and expects exactly the fault's findings, no secret in the output, and an unchanged folder. */
export const expectDiagnosis = async (folder: string, fault: Fault): Promise<void> => {
  const { inject, id, state, message, advice, consequences = [], skips = [] } = fault;
  const variables = { DATA_DIR: folder, ...(await inject(folder)) };
  const contentBefore = contentOf(folder);
  const { code, output, checks, wrong, warnings } = await runDoctor(variables, fault.setupCommand);

  const findings = checks.filter((line) => line.state === 'wrong' || line.state === 'warning');
  const expected = [{ id, state, message, advice }, ...consequences].map((finding) => ({
    id: finding.id,
    state: finding.state,
    said: expect.stringMatching(finding.message) as string,
    advice: expect.stringMatching(finding.advice) as string,
  }));
  expect(findings.toSorted(compareById)).toEqual(expected.toSorted(compareById));
  const skippedChecks = checks.filter((check) => check.said.startsWith('Not checked'));
  expect(skippedChecks.map((line) => line.id).toSorted()).toEqual([...skips].toSorted());
  expect({ wrong, warnings }).toEqual({
    wrong: expected.filter((finding) => finding.state === 'wrong').length,
    warnings: expected.filter((finding) => finding.state === 'warning').length,
  });
  expect(code).toBe(wrong > 0 ? 1 : 0);
  for (const secret of secretsOf(folder)) expect(output).not.toContain(secret);
  expect(contentOf(folder)).toEqual(contentBefore);
};

const compareById = (x: { readonly id: string }, y: { readonly id: string }): number => x.id.localeCompare(y.id);

/** Returns the names, owners, modes, times and contents of everything in a folder, except the times of folders. */
export const contentOf = (path: string): unknown => {
  const { mode, uid, mtimeMs, size } = lstatSync(path);
  if (!lstatSync(path).isDirectory()) {
    // This is the index of SQLite's write-ahead log, where every reader writes a read mark.
    if (path.endsWith('-shm')) return { mode, uid };
    return { mode, uid, mtimeMs, size, digest: createHash('sha256').update(readFileSync(path)).digest('hex') };
  }
  return {
    mode,
    uid,
    files: readdirSync(path)
      .toSorted()
      .map((name) => [name, contentOf(join(path, name))]),
  };
};

const secretsOf = (folder: string): readonly string[] => {
  const keyFiles = lstatSync(folder).isDirectory() ? readdirSync(folder).filter((name) => name.endsWith('.key')) : [];
  const keys = keyFiles.map((name) => readFileSync(join(folder, name), 'utf8').trim()).filter((text) => text !== '');
  return [password, encodeURIComponent(password), ...keys];
};
