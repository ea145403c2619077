import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { run } from '@portico/cli';
import type { Environment } from '@portico/composition';
import { root } from '../src/service-process.ts';

export interface ToolRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. `readErrorOutput` returns the command's standard error so far. */
export interface RunningTool {
  readonly readErrorOutput: () => string;
  readonly result: Promise<ToolRun>;
}

/**
 * Starts a command of the operator's tool in this process, with only these variables. With `input`, standard input is a
 * terminal. Without it, no terminal is attached, and there is nothing to read.
 */
export const startTool = (variables: Environment, args: readonly string[], input?: string): RunningTool => {
  const [stdout, stderr] = [recordOutput(), recordOutput()];
  const stdin = Object.assign(Readable.from([input ?? '']), { isTTY: input !== undefined });
  const io = { stdin, stdout: stdout.stream, stderr: stderr.stream };
  const result = run([process.execPath, 'portico', ...args], variables, io).then((code) => ({
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
  }));
  return { readErrorOutput: stderr.text, result };
};

/** Runs a command to its end in this process. */
export const runTool = (variables: Environment, args: readonly string[], input?: string): Promise<ToolRun> =>
  startTool(variables, args, input).result;

/** The variables that each process of a test inherits. The compile cache halves the startup time. */
export const inheritedVariables: Environment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** The arguments that make Node run the tool. */
export const toolArguments = ['-C', '@portico/source', join(root, 'apps/cli/src/main.ts')] as const;

/** Starts a command in a separate process, for tests of signals, pipes and exit codes. */
export const startToolProcess = (
  variables: Environment,
  args: readonly string[],
): RunningTool & { readonly child: ChildProcessWithoutNullStreams } => {
  const child = spawn(process.execPath, [...toolArguments, ...args], {
    cwd: root,
    env: { ...inheritedVariables, ...variables },
  });
  const [stdout, stderr] = [recordOutput(), recordOutput()];
  child.stdout.pipe(stdout.stream);
  child.stderr.pipe(stderr.stream);
  const result = once(child, 'close').then(([code, signal]) => {
    if (typeof code !== 'number') throw new Error(`The tool was terminated by ${String(signal)}: ${stderr.text()}`);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  });
  return { child, readErrorOutput: stderr.text, result };
};

const recordOutput = () => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
};
