import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { root } from '../src/service-process.ts';
import { createInstallation } from './installation.ts';

// PID 1 in a container ignores signals that it has no handler for. Here, a missing handler shows in the exit code and
// signal.
test.for(['apps/http/src/main.ts', 'apps/worker/src/main.ts'])(
  '%s shuts down cleanly on SIGTERM while it still waits for its database',
  async (main) => {
    const installation = await createInstallation();
    const environment = {
      PATH: process.env.PATH,
      DATA_DIR: installation.folder,
      DATABASE_URL: 'postgresql://portico@127.0.0.1:1/portico',
    };
    const child = spawn(process.execPath, ['-C', '@portico/source', main], {
      cwd: root,
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exit = once(child, 'exit');
    try {
      // Reads the output to the end: a closed pipe would also terminate the process.
      const databaseUnreachable = new Promise<void>((resolve) => {
        let log = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          log += text;
          if (log.includes('cannot be reached')) resolve();
        });
      });
      await Promise.race([databaseUnreachable, exit]);
      child.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      await installation.remove();
    }
  },
);
