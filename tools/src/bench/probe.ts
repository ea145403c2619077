import { createRequire } from 'node:module';
import { join } from 'node:path';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import type BetterSqlite3 from 'better-sqlite3';
import { countingVariable, type ProbeReply } from './probe-reply.ts';

/**
 * This module is loaded into each measured process (`--import`). It replies to any message on the process's IPC channel
 * with the process's counts.
 */

/** The name of the one counter that all threads of the process share. */
const name = 'portico-bench-statements';
if (isMainThread) setEnvironmentData(name, new SharedArrayBuffer(4));
const statements = new Int32Array(getEnvironmentData(name) as unknown as SharedArrayBuffer);

const countCalls = <Owner extends object>(owner: Owner, methods: readonly (keyof Owner & string)[]): void => {
  for (const method of methods) {
    const original = owner[method] as (...parameters: unknown[]) => unknown;
    const countAndCall = function (this: Owner, ...parameters: unknown[]): unknown {
      Atomics.add(statements, 0, 1);
      return original.apply(this, parameters);
    };
    Object.defineProperty(owner, method, { value: countAndCall, configurable: true, writable: true });
  }
};

if (process.env[countingVariable] === '1') {
  // Resolves the driver from the service's own package.
  const require = createRequire(join(process.cwd(), 'libs/adapters/sql/package.json'));
  const Driver = require('better-sqlite3') as typeof BetterSqlite3;
  const connection = new Driver(':memory:');
  const statement = Object.getPrototypeOf(connection.prepare('select 1')) as BetterSqlite3.Statement;
  countCalls(statement, ['get', 'all', 'run', 'iterate']);
  countCalls(Driver.prototype, ['exec']);
  connection.close();
}

if (isMainThread && process.send) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuNs: (user + system) * 1_000, statements: Atomics.load(statements, 0) } satisfies ProbeReply);
  });
  // Exits if the benchmark has been killed.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
}
