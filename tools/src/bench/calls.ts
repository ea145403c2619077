import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { createServer } from 'node:http';
import { createApiClient, type ApiClient, type Credential } from '../api-client.ts';
import { root } from '../service-process.ts';
import { Connection, createRequests, type BenchRequest } from './connection.ts';
import { createInstallation, createTemporaryFolder, emailOf, startServers } from './installation.ts';
import { pinToOneCpu } from './pin-to-one-cpu.ts';
import { medianOf } from './statistics.ts';
import type { Subject } from './subject.ts';

/**
 * `npm run bench:calls`: measures the cost of a call on loopback compared with the same request without Portico, and
 * with a read by key; and reads while 100 calls wait for a slow API. The service, the caller and the API share one CPU, as in
 * the other benchmarks. On SQLite or, with `-- --servers`, on PostgreSQL and Redis. Exits with 1 if a figure is over its
 * limit.
 */
const limits = { addedMs: 3, timesReadCpu: 8, timesRead: 1.2 };

const rounds = 7;
const requestsPerRound = 1_000;
const waitingCalls = 100;
/** At most 16 calls of a host and 4 of a caller are in flight. */
const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7'];
const callsPerCaller = 4;

/** Runs in a thread of its own, so that the API does not wait for the measuring code. */
const serveApi = (): void => {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/slow')) return;
    response.setHeader('content-type', 'application/json');
    response.end('{"id":"1","name":"Lilac"}');
  });
  server.listen(0, '0.0.0.0', () => {
    const address = server.address();
    parentPort?.postMessage(typeof address === 'object' && address ? address.port : 0);
  });
};

const startApi = async (stack: AsyncDisposableStack): Promise<number> => {
  const worker = new Worker(new URL(import.meta.url));
  stack.defer(async () => void (await worker.terminate()));
  const [port] = (await once(worker, 'message')) as [number];
  return port;
};

const createDocument = (port: number): object => {
  const responses = { 200: { description: 'The answer' } };
  const slowPaths = hosts.map((host, index) => [
    `/slow/${index}`,
    { servers: [{ url: `http://${host}:${port}` }], get: { operationId: `slow${index}`, responses } },
  ]);
  return {
    openapi: '3.0.3',
    info: { title: 'Bench', version: '1' },
    servers: [{ url: `http://127.0.0.1:${port}` }],
    security: [{ key: [] }],
    paths: {
      '/items/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: { operationId: 'fast', responses },
      },
      ...(Object.fromEntries(slowPaths) as object),
    },
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  };
};

interface Client {
  readonly headers: Readonly<Record<string, string>>;
}

const addClient = async (api: ApiClient, admin: Credential, uid: string, collection: string): Promise<Client> => {
  const registration = { firebase_uid: uid, email: emailOf(uid), full_name: uid };
  const { id } = await api.request<{ id: string }>(null, 'POST', '/api/profiles/register', registration);
  const key = await api.request<{ client_id: string; client_secret: string }>(
    admin,
    'POST',
    `/api/profiles/${id}/approve`,
  );
  await api.request(admin, 'POST', `/api/access/clients/${id}/collections/${collection}`);
  return { headers: { 'x-client-id': key.client_id, 'x-api-key': key.client_secret } };
};

/** Returns the response times of requests that are sent one after another, in milliseconds. */
const measure = async (address: string, request: BenchRequest, count: number): Promise<readonly number[]> => {
  const [connection, nextRequest] = [await Connection.open(address), createRequests(address, request)];
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    const status = await new Promise<number>((resolve, reject) => connection.send(nextRequest(), resolve, reject));
    times.push(performance.now() - startedAt);
    if (status !== 200) throw new Error(`${request.path} returned ${status}`);
  }
  connection.close();
  return times;
};

const measureWithCpu = async (
  subject: Subject,
  request: BenchRequest,
): Promise<{ readonly ms: number; readonly cpuUs: number }> => {
  const cpuBefore = await subject.readCpuNs();
  const times = await measure(subject.address, request, requestsPerRound);
  const cpuNs = (await subject.readCpuNs()) - cpuBefore;
  return { ms: medianOf(times), cpuUs: cpuNs / 1_000 / requestsPerRound };
};

/** Returns the CPU time of a program that sends the request itself, in microseconds per request. */
const measureDirectCpuUs = async (url: string, headers: Readonly<Record<string, string>>): Promise<number> => {
  const before = process.threadCpuUsage();
  for (let count = 0; count < requestsPerRound; count++) await (await fetch(url, { headers })).text();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / requestsPerRound;
};

/** Starts calls that never end, and returns when all of them wait. */
const startWaitingCalls = async (
  subject: Subject,
  clients: readonly Client[],
  slowPaths: readonly string[],
): Promise<AbortController> => {
  const abortController = new AbortController();
  for (let index = 0; index < waitingCalls; index++) {
    const client = clients[Math.floor(index / callsPerCaller)];
    const path = slowPaths[index % slowPaths.length] ?? '';
    void fetch(`${subject.address}${path}`, {
      method: 'POST',
      headers: { ...client?.headers, 'content-type': 'application/json' },
      body: '{"arguments":{},"timeout_ms":60000}',
      signal: abortController.signal,
    }).then(
      async (response) => process.stderr.write(`a waiting call ended: ${response.status} ${await response.text()}\n`),
      () => undefined,
    );
  }
  for (;;) {
    const metrics = await (await fetch(`${subject.address}/metrics`)).text();
    if (Number(/^calls_in_flight (\d+)$/m.exec(metrics)?.[1]) === waitingCalls) return abortController;
  }
};

/** An installation with one API, and clients that may call it. */
interface World {
  readonly subject: Subject;
  readonly upstream: string;
  readonly clients: readonly Client[];
  readonly readPath: string;
  readonly pathOf: (operationId: string) => string;
}

const secret = 'a-secret-of-32-characters-000000';

const createWorld = async (stack: AsyncDisposableStack, usesServers: boolean): Promise<World> => {
  const servers = usesServers ? await (await startServers(stack))() : {};
  const installation = await createInstallation(root, createTemporaryFolder(stack), servers);
  const subject = await installation.start({ CALLS: 'on', CALL_NETWORKS: '127.0.0.0/8', RATE_LIMIT_CALLS: 'off' });
  stack.defer(subject.kill);
  const [api, admin] = [createApiClient(subject.address), { token: await installation.createToken() }];
  const port = await startApi(stack);
  const collection = { name: 'Bench', description: 'Bench', openapi_spec: createDocument(port) };
  const { id } = await api.request<{ id: string }>(admin, 'POST', '/api/collections/', collection);
  await api.request(admin, 'PUT', `/api/collections/${id}/credentials/key`, { value: secret });
  const clients: Client[] = [];
  for (let index = 0; index <= waitingCalls / callsPerCaller; index++)
    clients.push(await addClient(api, admin, `client-${index}`, id));
  const path = `/api/collections/${id}`;
  const operations = await api.request<readonly { operation_key: string; operation_id: string }[]>(
    admin,
    'GET',
    `${path}/operations`,
  );
  const keys = new Map(operations.map((operation) => [operation.operation_id, operation.operation_key]));
  return {
    subject,
    upstream: `http://127.0.0.1:${port}`,
    clients,
    readPath: path,
    pathOf: (operationId) => `${path}/operations/${keys.get(operationId) ?? ''}/call`,
  };
};

/** Measures all requests in turn, so that a change of the machine's speed affects them alike. */
const measureCalls = async ({ subject, upstream, clients, readPath, pathOf }: World) => {
  const headers = clients.at(-1)?.headers ?? {};
  const read: BenchRequest = { path: readPath, headers };
  const call: BenchRequest = {
    method: 'POST',
    path: pathOf('fast'),
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"arguments":{"id":"1"}}',
  };
  const direct: BenchRequest = { path: '/items/1', headers: { authorization: `Bearer ${secret}` } };
  for (const request of [read, call]) await measureWithCpu(subject, request);
  await measure(upstream, direct, requestsPerRound);
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    const directMs = medianOf(await measure(upstream, direct, requestsPerRound));
    const directCpuUs = await measureDirectCpuUs(`${upstream}${direct.path}`, direct.headers ?? {});
    const readFigures = await measureWithCpu(subject, read);
    const callFigures = await measureWithCpu(subject, call);
    process.stderr.write(
      `direct ${directMs.toFixed(2)} ms, ${directCpuUs.toFixed(0)} µs; read ${readFigures.ms.toFixed(2)} ms, ${readFigures.cpuUs.toFixed(0)} µs; ` +
        `call ${callFigures.ms.toFixed(2)} ms, ${callFigures.cpuUs.toFixed(0)} µs\n`,
    );
    samples.push({
      addedMs: callFigures.ms - directMs,
      timesReadCpu: (callFigures.cpuUs - directCpuUs) / readFigures.cpuUs,
    });
  }
  return {
    addedMs: medianOf(samples.map(({ addedMs }) => addedMs)),
    timesReadCpu: medianOf(samples.map(({ timesReadCpu }) => timesReadCpu)),
  };
};

/** Returns the time of a read while calls wait, relative to the time without. */
const measureReads = async ({ subject, clients, readPath, pathOf }: World): Promise<number> => {
  const read: BenchRequest = { path: readPath, headers: clients.at(-1)?.headers ?? {} };
  const measureRounds = async (): Promise<number> => {
    const medians: number[] = [];
    for (let round = 0; round < rounds; round++)
      medians.push(medianOf(await measure(subject.address, read, requestsPerRound)));
    return medianOf(medians);
  };
  const quietMs = await measureRounds();
  const calls = await startWaitingCalls(
    subject,
    clients,
    hosts.map((_host, index) => pathOf(`slow${index}`)),
  );
  const busyMs = await measureRounds();
  calls.abort();
  return busyMs / quietMs;
};

const run = async (usesServers: boolean): Promise<void> => {
  await using stack = new AsyncDisposableStack();
  const world = await createWorld(stack, usesServers);
  const pids = [world.subject.pid];
  const { addedMs, timesReadCpu } = await pinToOneCpu(pids, () => measureCalls(world));
  const timesRead = await pinToOneCpu(pids, () => measureReads(world));
  const figures = [
    ['added by a call, p50, in ms', addedMs, limits.addedMs],
    ['CPU added by a call, times a read by key', timesReadCpu, limits.timesReadCpu],
    ['a read while 100 calls wait, times', timesRead, limits.timesRead],
  ] as const;
  for (const [name, figure, limit] of figures) {
    const mark = figure > limit ? '  over' : '';
    console.log(`${name.padEnd(42)} ${figure.toFixed(2).padStart(6)}  (at most ${limit})${mark}`);
    if (figure > limit) process.exitCode = 1;
  }
};

if (isMainThread) {
  const { values } = parseArgs({ options: { servers: { type: 'boolean', default: false } } });
  await run(values.servers);
} else serveApi();
