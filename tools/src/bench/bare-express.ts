import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../service-process.ts';

export interface BareExpress {
  readonly address: string;
  readonly cpuSeconds: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Plain Express 5 with one route and a small JSON answer: the unit that everything else is a multiple of. */
const program = `
import express from 'express';
const app = express();
app.get('/cpu', (request, response) => { const { user, system } = process.cpuUsage(); response.json((user + system) / 1e6); });
app.get('/', (request, response) => { response.json({ id: 1, name: 'a name', description: 'a description' }); });
app.listen(Number(process.argv.at(-1)), '127.0.0.1');
`;

export const startBareExpress = async (port: number): Promise<BareExpress> => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, '--', String(port)], {
    cwd: join(root, 'apps/http'),
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const address = `http://127.0.0.1:${port}`;
  const ended = once(child, 'exit');
  for (let attempt = 0; ; attempt++) {
    try {
      await fetch(address);
      break;
    } catch (error) {
      if (attempt > 100 || child.exitCode !== null) throw error;
      await pause(50);
    }
  }
  return {
    address,
    cpuSeconds: async () => Number(await (await fetch(`${address}/cpu`)).text()),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
};
