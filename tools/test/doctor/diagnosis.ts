import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, temporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished } from 'vitest';
import { root } from '../../src/service-process.ts';
import { createInstallation } from '../installation.ts';
import { inherited, runTool, toolArguments, type ToolRun } from '../run-tool.ts';

const run = promisify(execFile);

export type Variables = Readonly<Record<string, string>>;

/** What the doctor must find, and nothing else. */
export interface Found {
  readonly id: string;
  readonly state: 'warning' | 'wrong';
  readonly said: RegExp;
  readonly advice: RegExp;
}

export interface Fault extends Found {
  /** A sentence; the name of the test. */
  readonly fault: string;
  /** Spoils the healthy installation in this folder; returns the variables that name what was spoiled. */
  readonly plant: (folder: string) => Variables | Promise<Variables>;
  /** What follows from it, besides. */
  readonly besides?: readonly Found[];
  /** The checks that are not asked because of it. */
  readonly skips?: readonly string[];
  /** A shell command that runs before the tool, in the tool's own process. */
  readonly before?: string;
}

interface Line {
  readonly id: string;
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  readonly said: string;
  readonly advice: string | null;
}

export interface Diagnosis {
  readonly code: number;
  readonly output: string;
  readonly wrong: number;
  readonly warnings: number;
  readonly checks: readonly Line[];
}

/** In every password that a case plants. */
export const password = 'hunter2-of-the-test';

/** Runs the tool; with `before`, in a shell that first runs that. */
export const doctor = async (variables: Variables, before?: string): Promise<Diagnosis> => {
  const given = { NODE_ENV: 'development', PORT: String(await freePort()), ...variables };
  const ran = before === undefined ? runTool(given, ['doctor', '--json']) : doctorAfter(before, given);
  const { code, stdout, stderr } = await ran;
  if (stdout === '') throw new Error(stderr);
  return { code, output: stdout + stderr, ...(JSON.parse(stdout) as Omit<Diagnosis, 'code' | 'output'>) };
};

const doctorAfter = (before: string, variables: Variables): Promise<ToolRun> => {
  const command = ['-c', `${before}; exec "$@"`, 'sh', process.execPath, ...toolArguments, 'doctor', '--json'];
  return run('sh', command, { cwd: root, env: { ...inherited, ...variables } }).then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => error as ToolRun,
  );
};

/** A healthy installation on the embedded default, after its first start; cases spoil copies of it. */
export const createPatient = async (): Promise<{ copy: () => string; remove: () => Promise<void> }> => {
  const installation = await createInstallation();
  expect((await installation.tool('people', 'list', '--admins')).code).toBe(0);
  return {
    copy() {
      const folder = temporaryFolder(onTestFinished);
      cpSync(installation.folder, folder, { recursive: true });
      chmodSync(folder, 0o700);
      return folder;
    },
    remove: installation.remove,
  };
};

/** Plants the fault, and expects its lines, no others, no secret, and the folder as it was. */
export const expectDiagnosis = async (folder: string, fault: Fault): Promise<void> => {
  const { plant, id, state, said, advice, besides = [], skips = [] } = fault;
  const variables = { DATA_DIR: folder, ...(await plant(folder)) };
  const before = contentOf(folder);
  const { code, output, checks, wrong, warnings } = await doctor(variables, fault.before);

  const found = checks.filter((line) => line.state === 'wrong' || line.state === 'warning');
  const expected = [{ id, state, said, advice }, ...besides].map((each) => ({
    id: each.id,
    state: each.state,
    said: expect.stringMatching(each.said) as string,
    advice: expect.stringMatching(each.advice) as string,
  }));
  expect(found.toSorted(byId)).toEqual(expected.toSorted(byId));
  const unasked = checks.filter(({ said: text }) => text.startsWith('Not asked'));
  expect(unasked.map((line) => line.id).toSorted()).toEqual([...skips].toSorted());
  expect({ wrong, warnings }).toEqual({
    wrong: expected.filter((each) => each.state === 'wrong').length,
    warnings: expected.filter((each) => each.state === 'warning').length,
  });
  expect(code).toBe(wrong > 0 ? 1 : 0);
  for (const secret of secretsOf(folder)) expect(output).not.toContain(secret);
  expect(contentOf(folder)).toEqual(before);
};

const byId = (one: { readonly id: string }, other: { readonly id: string }): number => one.id.localeCompare(other.id);

/** Everything below a folder: names, owners, modes, times and contents. The time of a folder itself may change. */
export const contentOf = (path: string): unknown => {
  const { mode, uid, mtimeMs, size } = lstatSync(path);
  if (!lstatSync(path).isDirectory()) {
    // The index of SQLite's log, which every reader writes its marks to.
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
  const keys = lstatSync(folder).isDirectory() ? readdirSync(folder).filter((name) => name.endsWith('.key')) : [];
  const texts = keys.map((name) => readFileSync(join(folder, name), 'utf8').trim()).filter((text) => text !== '');
  return [password, encodeURIComponent(password), ...texts];
};
