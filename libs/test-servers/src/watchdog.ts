import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * A shell that outlives this process however it exits, even by SIGKILL, because this closes the shell's standard input.
 * The shell then ends the processes in the last line that it received, properly even if they are paused, and removes
 * the folder.
 */
const script = `
folder=$1 signal=$2 processes=
while read -r line; do processes=$line; done
if [ -n "$processes" ]; then
  kill -CONT $processes; kill -s "$signal" $processes
  for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 $processes || break; sleep 0.5; done
  kill -KILL $processes
fi 2>/dev/null
rm -rf -- "$folder"
`;

export interface Watchdog {
  /** Sets the processes to end when this process exits, in place of the previous ones. */
  guard(processes: readonly number[]): void;
  /** Ends the guarded processes and removes the folder. */
  release(): Promise<void>;
}

/** Guarded processes get `endSignal` and, if they survive, SIGKILL after 5 s. */
export function startWatchdog(folder: string, endSignal: 'QUIT' | 'KILL'): Watchdog {
  // In its own session: the SIGINT of a terminal ends the tests, but must not end their watchdog.
  const shell = spawn('/bin/sh', ['-c', script, 'watchdog', folder, endSignal], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Independent of the tests' environment: with an empty PATH, the shell still finds its programs.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  const exited = once(shell, 'exit');
  // A server that is not closed must not keep its process alive.
  shell.unref();
  return {
    guard(processes) {
      shell.stdin.write(`${processes.join(' ')}\n`);
    },
    async release() {
      shell.ref();
      shell.stdin.end();
      await exited;
    },
  };
}
