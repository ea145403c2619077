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

/** A command under way, and what it has said on standard error so far. */
export interface RunningTool {
  readonly said: () => string;
  readonly ended: Promise<ToolRun>;
}

/**
 * Starts a command of the operator's tool in this process, with these variables alone. Without anything `typed` no
 * terminal is attached, and there is nothing to read.
 */
export const startTool = (variables: Environment, args: readonly string[], typed?: string): RunningTool => {
  const [stdout, stderr] = [recorded(), recorded()];
  const stdin = Object.assign(Readable.from([typed ?? '']), { isTTY: typed !== undefined });
  const io = { stdin, stdout: stdout.stream, stderr: stderr.stream };
  const ended = run([process.execPath, 'portico', ...args], variables, io).then((code) => ({
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
  }));
  return { said: stderr.text, ended };
};

/** The same, until it has ended. */
export const runTool = (variables: Environment, args: readonly string[], typed?: string): Promise<ToolRun> =>
  startTool(variables, args, typed).ended;

/** What any process of a test takes over: a place for compiled sources, so that it starts in half the time. */
export const inherited: Environment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** What Node runs as the tool. */
export const toolArguments = ['-C', '@portico/source', join(root, 'apps/cli/src/main.ts')] as const;

/** Starts a command as a process, for what a process has to do with. */
export const startToolProcess = (
  variables: Environment,
  args: readonly string[],
): RunningTool & { readonly child: ChildProcessWithoutNullStreams } => {
  const child = spawn(process.execPath, [...toolArguments, ...args], {
    cwd: root,
    env: { ...inherited, ...variables },
  });
  const [stdout, stderr] = [recorded(), recorded()];
  child.stdout.pipe(stdout.stream);
  child.stderr.pipe(stderr.stream);
  const ended = once(child, 'close').then(([code, signal]) => {
    if (typeof code !== 'number') throw new Error(`The tool was ended by ${String(signal)}: ${stderr.text()}`);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  });
  return { child, said: stderr.text, ended };
};

const recorded = () => {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
};
