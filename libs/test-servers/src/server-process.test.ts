import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { isAccepting } from '../test/raw-socket.ts';
import { createServerFolder } from './server-folder.ts';
import { ServerProcess } from './server-process.ts';
import { startWatchdog } from './watchdog.ts';

const folder = createServerFolder('process', null);
const watchdog = startWatchdog(folder, 'KILL');
afterAll(() => watchdog.release());

const listenScript = `require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listening'))`;

const start = (createArguments: (port: number) => string[]) =>
  ServerProcess.start({
    program: process.execPath,
    createArguments,
    readyMessage: 'listening',
    portTakenMessage: 'EADDRINUSE',
    stopSignals: { fast: 'SIGTERM', immediate: 'SIGKILL' },
    folder,
    account: null,
    watchdog,
  });

it('A server whose port was taken in the meantime is started on the next one', async () => {
  const competitor = createServer().listen(0, '127.0.0.1');
  await once(competitor, 'listening');
  const takenPort = (competitor.address() as { port: number }).port;
  const ports: number[] = [];
  const server = await start((port) => ['-e', listenScript, String(ports.push(port) === 1 ? takenPort : port)]);
  competitor.close();
  expect(ports).toHaveLength(2);
  expect(server.port).toBe(ports[1]);
  expect(await isAccepting(server.port)).toBe(true);
  await server.stop();
  expect(await isAccepting(server.port)).toBe(false);
});

it('A server that exits while it starts is not retried, and the error includes its log', async () => {
  let attempts = 0;
  const startAttempt = start(() => {
    attempts++;
    return ['-e', `console.error('no such setting'); process.exit(1)`];
  });
  await expect(startAttempt).rejects.toThrow(/exited while it was starting\.\nno such setting/);
  expect(attempts).toBe(1);
});

it('A missing program is an error', async () => {
  const startAttempt = ServerProcess.start({
    program: '/nowhere/server',
    createArguments: () => [],
    readyMessage: '',
    portTakenMessage: 'EADDRINUSE',
    stopSignals: { fast: 'SIGTERM', immediate: 'SIGKILL' },
    folder,
    account: null,
    watchdog,
  });
  await expect(startAttempt).rejects.toThrow('ENOENT');
});
