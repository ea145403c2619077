import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { localAdmin, openLocalIssuer, readConfig } from '@portico/composition';
import { startPostgres, startRedis } from '@portico/test-servers';
import { createApiClient } from '../api-client.ts';
import { startService } from '../service-process.ts';
import { startBareExpress } from './bare-express.ts';
import { fillCatalog } from './catalog.ts';
import { benchEmbedder } from './embedder.ts';
import { measure } from './measure.ts';
import { benchOperationIndex } from './operation-index.ts';
import { scenarios } from './scenarios.ts';

/**
 * `npm run bench`: the CPU time of the server process for each request, as a multiple of bare Express in the same run.
 * Throughput varies on a shared machine; this ratio does not. Before it, what the built-in embedder and the index of
 * operations cost. Fails if a budget is exceeded by more than `slack`. With `--servers` it runs on PostgreSQL and Redis,
 * which are allowed twice the budget.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '16000' },
    collections: { type: 'string', default: '10000' },
    port: { type: 'string', default: '3199' },
    slack: { type: 'string', default: '1.25' },
    servers: { type: 'boolean', default: false },
  },
});
const requests = Number(values.requests);
let exceeded = (await benchEmbedder(Number(values.slack))) + (await benchOperationIndex(Number(values.slack)));
/** The JIT compiler needs this many before the figures are stable. */
const warmUpRequests = 6_000;
const postgres = values.servers ? await startPostgres({ durable: true }) : null;
const redis = values.servers ? await startRedis() : null;
if (values.servers && !(postgres && redis)) throw new Error('PostgreSQL or Redis is not available');
const budgetFactor = values.servers ? 2 : 1;
const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
const environment = {
  PATH: process.env.PATH,
  NODE_ENV: 'development',
  DATA_DIR: folder,
  PORT: values.port,
  RATE_LIMIT_DEFAULT: '100000000/60',
  ...(postgres ? { DATABASE_URL: await postgres.newDatabase() } : {}),
  ...(redis ? { REDIS_URL: redis.url } : {}),
};
const bare = await startBareExpress(Number(values.port) + 1);
const service = await startService(environment);
try {
  const issuer = await openLocalIssuer(readConfig(environment));
  if (!issuer) throw new Error('The bench needs the local issuer');
  const adminToken = await issuer.mint({ ...localAdmin, ttlSeconds: 86_400 });
  const mint = (uid: string) => issuer.mint({ uid, email: `${uid}@example.com`, ttlSeconds: 86_400 });
  const catalog = await fillCatalog(
    createApiClient(service.address),
    adminToken,
    mint,
    Number(values.collections),
    environment,
  );
  const serverCpu = () => processCpuSeconds(service.address);
  await measure(bare.address, {}, warmUpRequests, 8, bare.cpuSeconds);
  process.stdout.write(
    `${'request'.padEnd(58)} ${'µs CPU'.padStart(8)} ${'× bare'.padStart(7)} ${'budget'.padStart(7)}\n`,
  );
  for (const { name, budget: embedded, request, connections } of scenarios(catalog)) {
    const budget = embedded === null ? null : embedded * budgetFactor;
    // Measures the two in turn, in short spells, so that a drift of the machine affects both.
    const spells = 8;
    const spent = { bare: 0, service: 0 };
    await measure(service.address, request, warmUpRequests, connections, serverCpu);
    for (let spell = 0; spell < spells; spell++) {
      spent.bare += await measure(bare.address, {}, requests / spells, connections, bare.cpuSeconds);
      spent.service += await measure(service.address, request, requests / spells, connections, serverCpu);
    }
    const perRequest = (spent.service / requests) * 1e6;
    const ratio = spent.service / spent.bare;
    const over = budget !== null && ratio > budget * Number(values.slack);
    if (over) exceeded++;
    process.stdout.write(
      `${name.padEnd(58)} ${perRequest.toFixed(1).padStart(8)} ${ratio.toFixed(2).padStart(7)} ${(budget?.toFixed(1) ?? '–').padStart(7)}${over ? '  over' : ''}\n`,
    );
  }
  if (exceeded > 0) process.exitCode = 1;
} finally {
  await service.stop();
  await bare.stop();
  await postgres?.close();
  await redis?.close();
  rmSync(folder, { recursive: true, force: true });
}

async function processCpuSeconds(address: string): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  const seconds = /^process_cpu_seconds_total(?:\{[^}]*\})? ([\d.e+-]+)/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('The service does not report its CPU time');
  return Number(seconds);
}
