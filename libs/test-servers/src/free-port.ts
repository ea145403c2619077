import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that operating systems use for outgoing connections (Linux from 32768, others from 49152). So no
 * process takes the port by chance while its server is stopped, and a client of a stopped server cannot dial itself.
 */
const firstPort = 15_000;
const portsOfWorker = 1_000;
const workersApart = 17;

/** Test files that run at the same time use different ports; each process starts somewhere in its worker's range. */
const workerFirstPort = firstPort + (Number(process.env['VITEST_POOL_ID'] ?? 0) % workersApart) * portsOfWorker;
let drawn = randomInt(portsOfWorker);

/**
 * A port of 127.0.0.1 that is free now and that this process has not handed out before, so that it stays free while its
 * server is stopped. Another process may still take it first: a caller whose bind fails must try again.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < portsOfWorker; attempt++) {
    drawn = (drawn + 1) % portsOfWorker;
    const port = workerFirstPort + drawn;
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port was found from ${workerFirstPort} on.`);
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
