import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A child process that runs one of the programs beside this file; `messages` collects what it sends. */
export const startChild = (program: string, ...parameters: readonly string[]) => {
  const child: ChildProcess = fork(fileURLToPath(new URL(program, import.meta.url)), parameters, {
    execArgv: ['-C', '@portico/source'],
  });
  const messages: unknown[] = [];
  child.on('message', (message) => messages.push(message));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({ code, signal }));
  return { child, messages, ended };
};
