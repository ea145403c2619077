import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@portico/composition';
import { freePort, onPath, startPostgres, startRedis } from '@portico/test-servers';
import { createDice } from '../big-catalog/dice.ts';
import { endProcess, root } from '../service-process.ts';
import { apiDocument } from './api-document.ts';
import type { Curve, Row, Run } from './curve.ts';
import { type Call, load } from './load.ts';
import { type OwnService, startOwnService } from './own-service.ts';

export const replicas: Curve = {
  name: 'replicas',
  title: 'Replicas behind a proxy',
  x: { label: 'replicas', scale: 'linear' },
  charts: [
    { unit: 'requests/s', title: 'requests a second', scale: 'linear' },
    { unit: 'ms p99', title: '99th percentile, ms', scale: 'linear' },
    { unit: 'ms CPU', title: 'CPU of all replicas for each request, ms', scale: 'linear' },
    { unit: '% of the cores', title: 'all cores that the replicas use, %', scale: 'linear' },
  ],
  setting:
    'Services on PostgreSQL and Redis behind HAProxy with the settings of `deploy/haproxy.cfg`, 16 callers at once: the ' +
    'metadata of a collection by key. Callers, proxy, databases and replicas share the cores.',
  reading:
    'Two cores that callers, proxy, PostgreSQL and Redis share with the replicas are used up soon: a second ' +
    'replica brings a quarter more, four answer less than one. CPU for each request grows with each replica, ' +
    'because each gathers fewer requests in one turn (statements, log lines, commands to Redis). More replicas ' +
    'are for more cores, and for taking one away without a pause. Size by the CPU for each request of one ' +
    'replica: 1,000 divided by its milliseconds is what a core of its own answers in a second, besides the ' +
    'cores of PostgreSQL, Redis and proxy.',
  async *measure(run) {
    const program = onPath('haproxy');
    const postgres = await startPostgres({ durable: true });
    const redis = await startRedis();
    try {
      if (!program || !postgres || !redis) {
        return run.note('Not measured: HAProxy, PostgreSQL or Redis is not on this machine.');
      }
      run.note(`${cores} cores, for everything together.`);
      const variables = { DATABASE_URL: await postgres.newDatabase(), REDIS_URL: redis.url, TRUST_PROXY: '1' };
      yield* byReplicas(run, program, variables);
    } finally {
      await redis?.close();
      await postgres?.close();
    }
  },
};

const cores = availableParallelism();
const callers = 16;

async function* byReplicas({ quick, folder, tell }: Run, program: string, variables: Environment): AsyncIterable<Row> {
  const services: OwnService[] = [];
  const start = async (): Promise<OwnService> => {
    const service = await startOwnService(folder, variables);
    services.push(service);
    return service;
  };
  try {
    const call = await readOf(await start());
    for (const count of quick ? [1, 2] : [1, 2, 4]) {
      while (services.length < count) await start();
      tell(`${count} replicas`);
      const proxy = await startProxy(program, folder, services);
      try {
        const most = (calls: number) => ({ calls: quick ? 400 : calls, connections: callers, longestMs: 12_000 });
        await load(proxy.address, most(6_000 * count), call);
        const before = await cpuOf(services);
        const { p99, perSecond, calls } = await load(proxy.address, most(20_000), call);
        const cpuMs = ((await cpuOf(services)) - before) / calls;
        const of = { x: count, series: 'metadata by key' };
        yield* [
          { ...of, value: perSecond, unit: 'requests/s' },
          { ...of, value: p99, unit: 'ms p99' },
          { ...of, value: cpuMs, unit: 'ms CPU' },
          { ...of, value: (cpuMs * perSecond) / (10 * cores), unit: '% of the cores' },
        ] satisfies Row[];
      } finally {
        await endProcess(proxy.child, 'SIGTERM');
      }
    }
  } finally {
    for (const service of services) await service.stop();
  }
}

/** The read of a new client that has one grant. */
const readOf = async ({ api, admin, client }: OwnService): Promise<() => Call> => {
  const { id: profile, key } = await client('reader');
  const document = apiDocument(createDice(1), 'The weather', 10_000);
  const input = { name: 'The weather', openapi_spec: document };
  const { id } = await api.ask<{ id: string }>(admin, 'POST', '/api/collections/', input);
  await api.ask(admin, 'POST', `/api/access/clients/${profile}/collections/${id}`);
  return () => ({ path: `/api/collections/${id}/metadata`, headers: key });
};

const cpuOf = async (services: readonly OwnService[]): Promise<number> => {
  const usages = await Promise.all(services.map((service) => service.usage()));
  return usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
};

/** The stack's own configuration, but for the ports that it listens on, and the processes, which it names. */
const startProxy = async (
  program: string,
  folder: string,
  services: readonly OwnService[],
): Promise<{ readonly address: string; readonly child: ChildProcess }> => {
  const port = await freePort();
  const servers = services.map(({ address }, at) => `server http${at} ${new URL(address).host}`).join('\n  ');
  const text = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/^.*bind :8443.*$/m, '')
    .replaceAll('server-template http 16 http:3000', servers);
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, text);
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  process.prependOnceListener('exit', () => child.kill());
  const address = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(`${address}/health`).catch(() => null);
    if (answer?.ok) break;
    if (attempt > 200) throw new Error('HAProxy does not answer');
    await pause(50);
  }
  // Each process is found ready by then, not only the first.
  await pause(2_500);
  return { address, child };
};
