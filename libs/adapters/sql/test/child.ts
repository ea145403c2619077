import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a child process that runs one of the programs next to this file; `messages` collects its messages. */
export const startChild = (program: string, ...parameters: readonly string[]) => {
  const child: ChildProcess = fork(fileURLToPath(new URL(program, import.meta.url)), parameters, {
    execArgv: ['-C', '@portico/source'],
  });
  const messages: unknown[] = [];
  child.on('message', (message) => messages.push(message));
  const exited = once(child, 'close').then(([code, signal]: unknown[]) => ({ code, signal }));
  return { child, messages, exited };
};
