import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createApiClient } from '../api-client.ts';
import { root } from '../service-process.ts';
import { fillCatalog, openCatalog } from './catalog.ts';
import { Connection, createRequests, type BenchRequest } from './connection.ts';
import { createInstallation, startServers, createTemporaryFolder } from './installation.ts';
import { reportFigures } from './report.ts';
import { scenarios } from './scenarios.ts';
import { createTexts } from './words.ts';

/**
 * `npm run bench:document`: measures the longest wait of other requests while a document of 20 MB with 10,000
 * operations is imported and replaced, until its operations are indexed, on SQLite or, with `-- --servers`, on
 * PostgreSQL and Redis.
 */
const budgetMs = 150;

/** Runs in a separate thread: sends the request repeatedly, and posts each response time in milliseconds. */
const measureWaits = async ({
  address,
  request,
}: {
  readonly address: string;
  readonly request: BenchRequest;
}): Promise<void> => {
  const [connection, nextRequest] = [await Connection.open(address), createRequests(address, request)];
  const post = (ms: number) => parentPort?.postMessage(ms);
  for (;;) {
    const startedAt = performance.now();
    await new Promise<void>((resolve, reject) => connection.send(nextRequest(), () => resolve(), reject));
    post(performance.now() - startedAt);
    await pause(2);
  }
};

const createLongDocument = (title: string): string => {
  const text = createTexts(title.length);
  const createSchema = (): object => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 7 }, (_, index) => [
        `${text(1)}${index}`,
        { type: 'string', description: text(12), example: text(1) },
      ]),
    ),
  });
  const createOperation = (number: number): object => ({
    operationId: `operation${number}`,
    summary: text(6),
    description: text(60),
    parameters: [{ name: 'id', in: 'path', required: true, description: text(8), schema: { type: 'string' } }],
    responses: { 200: { description: text(6), content: { 'application/json': { schema: createSchema() } } } },
  });
  const paths = Array.from({ length: 10_000 }, (_, index) => [
    `/${text(1)}/${index}/{id}`,
    { get: createOperation(index) },
  ]);
  const info = { title, version: '1.0.0' };
  return JSON.stringify({ openapi: '3.0.3', info, paths: Object.fromEntries(paths) as object });
};

const measure = async (usesServers: boolean): Promise<void> => {
  await using stack = new AsyncDisposableStack();
  const createServers = usesServers ? await startServers(stack) : async () => ({});
  const installation = await createInstallation(root, createTemporaryFolder(stack), await createServers());
  const filledCatalog = await fillCatalog(installation, 200);
  const subject = await installation.start();
  stack.defer(subject.kill);
  const catalog = await openCatalog(filledCatalog, installation);
  const [api, admin] = [createApiClient(subject.address), { token: await installation.createToken() }];
  const measuredScenarios = scenarios.filter(({ name }) =>
    /by key|stored credential|same query|audit entry/.test(name),
  );
  const longestWaits = new Map<string, number>();
  for (const { name, request } of measuredScenarios) {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { address: subject.address, request: request(catalog) },
    });
    stack.defer(async () => void (await worker.terminate()));
    worker.on('message', (ms: number) => longestWaits.set(name, Math.max(longestWaits.get(name) ?? 0, ms)));
    await once(worker, 'message');
  }
  const send = async (method: string, path: string, body: string): Promise<string> => {
    const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' };
    const response = await fetch(`${subject.address}${path}`, { method, headers, body });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    // The response contains the collection with its whole document.
    return /"id":"([^"]+)"/.exec((await response.text()).slice(0, 100))?.[1] ?? '';
  };
  const waitUntilIndexed = async (): Promise<void> => {
    const readProgress = () =>
      api.request<{ operations: { total: number; done: number } | null }>(admin, 'GET', '/api/vector/reindex');
    for (let operations = null; operations === null || operations.done < operations.total; await pause(100))
      ({ operations } = await readProgress());
  };
  const bodies = ['Large', 'Larger'].map((title) => `{"name":"Large","openapi_spec":${createLongDocument(title)}}`);
  process.stderr.write(`… ${(bodies[0]?.length ?? 0) / 1e6} MB\n`);
  await pause(5_000);
  longestWaits.clear();
  const id = await send('POST', '/api/collections/', bodies[0] ?? '');
  await waitUntilIndexed();
  await send('PUT', `/api/collections/${id}`, bodies[1] ?? '');
  await waitUntilIndexed();
  reportFigures(
    'longest wait during an import of 20 MB',
    measuredScenarios.map(({ name }) => ({ name, ms: longestWaits.get(name) ?? Number.NaN, budgetMs })),
  );
};

if (isMainThread) {
  const { values } = parseArgs({ options: { servers: { type: 'boolean', default: false } } });
  await measure(values.servers);
} else {
  await measureWaits(workerData as Parameters<typeof measureWaits>[0]);
}
