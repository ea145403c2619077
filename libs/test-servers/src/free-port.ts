import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The first of the ports for tests, which are all below the ports that operating systems use for outgoing connections
 * (Linux from 32768, others from 49152). Therefore, no process takes a server's port by chance while the server is
 * stopped, and a client of a stopped server cannot connect to itself.
 */
const firstPort = 15_000;
const portsPerWorker = 1_000;
const workerRanges = 17;

/**
 * The first port of this worker: test files that run concurrently use different ports. Each process starts at a random
 * port in its worker's range.
 */
const workerFirstPort = firstPort + (Number(process.env['VITEST_POOL_ID'] ?? 0) % workerRanges) * portsPerWorker;
let lastOffset = randomInt(portsPerWorker);

/**
 * Returns a port of 127.0.0.1 that is free and that this process has not handed out before, so that it remains free
 * while its server is stopped. Another process may still take the port first: a caller that cannot bind to it must try
 * again.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < portsPerWorker; attempt++) {
    lastOffset = (lastOffset + 1) % portsPerWorker;
    const port = workerFirstPort + lastOffset;
    if (await isFree(port)) return port;
  }
  throw new Error(`There is no free port in the range that starts at ${workerFirstPort}.`);
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
