import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * The script of a shell that outlives this process. However this process exits, even by SIGKILL, the shell's standard
 * input is closed. The shell then stops the processes in the last line that it received, properly even if they are
 * paused, and removes the folder.
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
  /** Sets the processes to stop when this process exits, replacing the previous ones. */
  guard(processes: readonly number[]): void;
  /** Stops the guarded processes and removes the folder. */
  release(): Promise<void>;
}

/** Starts a watchdog. Guarded processes get `endSignal` and, if they survive it, SIGKILL after 5 s. */
export function startWatchdog(folder: string, endSignal: 'QUIT' | 'KILL'): Watchdog {
  // The shell has its own session: a terminal's SIGINT stops the tests, but must not stop their watchdog.
  const shell = spawn('/bin/sh', ['-c', script, 'watchdog', folder, endSignal], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // The environment is independent of the tests' environment: with an empty PATH there, the shell still finds its
    // programs.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  const exitEvent = once(shell, 'exit');
  // A server that is not closed must not keep this process alive.
  shell.unref();
  return {
    guard(processes) {
      shell.stdin.write(`${processes.join(' ')}\n`);
    },
    async release() {
      shell.ref();
      shell.stdin.end();
      await exitEvent;
    },
  };
}
