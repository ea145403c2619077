import { Readable, Writable } from 'node:stream';
import { run } from '@portico/cli';
import type { Environment } from '@portico/composition';

export interface ToolRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the operator's tool in this process: with these variables alone, and with nothing to read. */
export const runTool = async (variables: Environment, args: readonly string[], stdin = ''): Promise<ToolRun> => {
  const [stdout, stderr] = [recorded(), recorded()];
  const io = { stdin: Readable.from([stdin]), stdout: stdout.stream, stderr: stderr.stream };
  const code = await run([process.execPath, 'portico', ...args], variables, io);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
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
