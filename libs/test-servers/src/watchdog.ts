import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * A shell that outlives this process however it ends, a SIGKILL included: its standard input closes then. It ends the
 * processes of the last line it was told, in good order also where they are paused, and removes the folder.
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
  /** The processes to end when this process is gone; in place of those named before. */
  guard(processes: readonly number[]): void;
  /** Ends what is guarded and removes the folder. */
  release(): Promise<void>;
}

/** What is guarded gets `endSignal` and, where it lives on, SIGKILL after 5 s. */
export function startWatchdog(folder: string, endSignal: 'QUIT' | 'KILL'): Watchdog {
  // Its own session: the SIGINT of a terminal ends the tests, and must not end their watchdog.
  const shell = spawn('/bin/sh', ['-c', script, 'watchdog', folder, endSignal], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // Nothing of the tests' environment: with an empty PATH the shell still finds what it needs.
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
