import { Readable, Writable } from 'node:stream';
import { run } from '@portico/cli';
import type { Environment } from '@portico/composition';

export interface ToolRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs in this process, and what it has said on standard error so far. */
export interface RunningTool {
  readonly said: () => string;
  readonly ended: Promise<ToolRun>;
}

/** Starts a command of the operator's tool in this process: with these variables alone, and with this to read. */
export const startTool = (variables: Environment, args: readonly string[], stdin = ''): RunningTool => {
  const [stdout, stderr] = [recorded(), recorded()];
  const io = { stdin: Readable.from([stdin]), stdout: stdout.stream, stderr: stderr.stream };
  const ended = run([process.execPath, 'portico', ...args], variables, io).then((code) => ({
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
  }));
  return { said: stderr.text, ended };
};

/** The same, until it has ended. */
export const runTool = (variables: Environment, args: readonly string[], stdin?: string): Promise<ToolRun> =>
  startTool(variables, args, stdin).ended;

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
