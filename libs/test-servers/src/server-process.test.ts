import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { accepts } from '../test/raw-socket.ts';
import { newServerFolder } from './server-folder.ts';
import { ServerProcess } from './server-process.ts';
import { startWatchdog } from './watchdog.ts';

const folder = newServerFolder('process', null);
const watchdog = startWatchdog(folder, 'KILL');
afterAll(() => watchdog.release());

const listens = `require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listening'))`;

const start = (argumentsOf: (port: number) => string[]) =>
  ServerProcess.start({
    program: process.execPath,
    arguments: argumentsOf,
    ready: 'listening',
    portTaken: 'EADDRINUSE',
    stopSignals: { fast: 'SIGTERM', immediate: 'SIGKILL' },
    folder,
    account: null,
    watchdog,
  });

it('A server whose port was taken in the meantime is started on the next one', async () => {
  const quicker = createServer().listen(0, '127.0.0.1');
  await once(quicker, 'listening');
  const takenPort = (quicker.address() as { port: number }).port;
  const ports: number[] = [];
  const server = await start((port) => ['-e', listens, String(ports.push(port) === 1 ? takenPort : port)]);
  quicker.close();
  expect(ports).toHaveLength(2);
  expect(server.port).toBe(ports[1]);
  expect(await accepts(server.port)).toBe(true);
  await server.stop();
  expect(await accepts(server.port)).toBe(false);
});

it('A server that exits while it starts is not retried, and the error includes its log', async () => {
  let attempts = 0;
  const failing = start(() => {
    attempts++;
    return ['-e', `console.error('no such setting'); process.exit(1)`];
  });
  await expect(failing).rejects.toThrow(/ended while it started\.\nno such setting/);
  expect(attempts).toBe(1);
});

it('A missing program is an error', async () => {
  const missing = ServerProcess.start({
    program: '/nowhere/server',
    arguments: () => [],
    ready: '',
    portTaken: 'EADDRINUSE',
    stopSignals: { fast: 'SIGTERM', immediate: 'SIGKILL' },
    folder,
    account: null,
    watchdog,
  });
  await expect(missing).rejects.toThrow('ENOENT');
});
