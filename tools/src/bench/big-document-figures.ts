import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { localAdmin, openLocalIssuer, readConfig } from '@portico/composition';
import { startPostgres, startRedis } from '@portico/test-servers';
import { createApiClient } from '../api-client.ts';
import { imageVariables } from '../image-variables.ts';
import { startService } from '../service-process.ts';
import { bigDocument } from './big-document.ts';
import { startBystander, type Bystander, type RepeatedRequest, type Waits } from './bystander.ts';
import { watchVariable, type ProcessWatch } from './process-watch.ts';

/**
 * Sends a large document to a service, reads it back in every form, replaces and deletes it, while others go on asking.
 * Prints as JSON for each step: how long it took; the longest that each of the others waited, and how long the
 * service's event loop was held, in milliseconds; by how much the memory of the process had grown at its peak, in MiB.
 */
const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '20' },
    operations: { type: 'string', default: '10000' },
    /** A file to send instead of a generated document. */
    document: { type: 'string' },
    port: { type: 'string', default: '3199' },
    servers: { type: 'boolean', default: false },
    /** Memory is allocated as in the image, which `npm start` leaves to the system. */
    image: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});

interface Step extends ProcessWatch {
  readonly step: string;
  readonly ms: number;
  readonly status: number | null;
  readonly bytes: number | null;
  readonly grownMiB: number;
  readonly waits: Readonly<Record<string, Waits>>;
}

const mcpAccept = { accept: 'application/json, text/event-stream' };
const listCall = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const folder = mkdtempSync(join(tmpdir(), 'portico-big-document-'));
const socket = join(folder, 'watch');
const postgres = values.servers ? await startPostgres({ durable: true }) : null;
const redis = values.servers ? await startRedis() : null;
if (values.servers && !(postgres && redis)) throw new Error('PostgreSQL or Redis is not available');
const environment = {
  PATH: process.env.PATH,
  NODE_ENV: 'development',
  DATA_DIR: folder,
  PORT: values.port,
  RATE_LIMIT_DEFAULT: '100000000/60',
  ...(values.image
    ? Object.fromEntries(Object.entries(imageVariables()).filter(([name]) => /^(MALLOC_|GLIBC_)/.test(name)))
    : {}),
  ...(postgres ? { DATABASE_URL: await postgres.newDatabase() } : {}),
  ...(redis ? { REDIS_URL: redis.url } : {}),
};
const watching = {
  NODE_OPTIONS: `--import=${new URL('process-watch.ts', import.meta.url).href}`,
  [watchVariable]: socket,
};

const wholeText = (edition: number): string =>
  values.document === undefined
    ? bigDocument(Number(values.megabytes) * 1e6, Number(values.operations), edition)
    : readFileSync(values.document, 'utf8')
        .trim()
        .replace(/("title"\s*:\s*")/, `$1Edition ${edition} of `);

const service = await startService({ ...environment, ...watching });
try {
  process.stdout.write(`${JSON.stringify(await measured(service.address, service.pid))}\n`);
} finally {
  await service.stop();
  await postgres?.close();
  await redis?.close();
  rmSync(folder, { recursive: true, force: true });
}

async function measured(address: string, pid: number) {
  const issuer = await openLocalIssuer(readConfig(environment));
  if (!issuer) throw new Error('The bench needs the local issuer');
  const admin = { token: await issuer.mint({ ...localAdmin, ttlSeconds: 86_400 }) };
  const api = createApiClient(address);
  const { key, small, stored } = await others(address, api, admin);
  const requests = repeated(small, stored, key);
  await using bystander = await besides(() => startBystander({ address, requests }));
  await pause(3_000);
  await bystander.take();
  await watch();

  const before = memoryKiB(pid).now;
  const { steps, step } = createSteps(pid, before, bystander);

  const texts = [wholeText(1), wholeText(2)] as const;
  const bodies = texts.map((text) => Buffer.from(`{"name":"Large","openapi_spec":${text}}`));
  const [digest] = texts.map((text) => createHash('sha256').update(text).digest('hex'));
  const bearer = { authorization: `Bearer ${admin.token}` };
  const send = (method: string, path: string, body: Buffer) => () =>
    exchange(address, method, path, { ...bearer, 'content-type': 'application/json' }, body);
  const read = (path: string, headers: Readonly<Record<string, string>>) => () =>
    exchange(address, 'GET', path, headers);

  await step('nothing', () => pause(2_000));
  const created = await step('create', send('POST', '/api/collections/', bodies[0] ?? Buffer.alloc(0)));
  if (created?.status !== 201) throw new Error(`The document was refused: ${created?.body.toString('utf8', 0, 500)}`);
  const id = idOf(created.body);
  const path = `/api/collections/${id}`;
  const grown = async () => indexed(api, admin, id);
  await step('index', grown);
  const gzip = { ...bearer, 'accept-encoding': 'gzip' };
  const [operation] = await api.ask<{ operation_key: string }[]>(admin, 'GET', `${path}/operations?limit=1`);
  await step('read, gzip', read(path, gzip));
  await step('read, identity', read(path, bearer));
  await step('read again, identity', read(path, bearer));
  await step('document as JSON, gzip', read(`${path}/openapi.json`, gzip));
  const text = await step('document as JSON, identity', read(`${path}/openapi.json`, bearer));
  if (!text || createHash('sha256').update(text.body).digest('hex') !== digest)
    throw new Error('The document came back changed');
  await step('document unchanged', read(`${path}/openapi.json`, { ...bearer, 'if-none-match': text.etag }));
  await step('document as YAML, gzip', read(`${path}/openapi.yaml`, gzip));
  await step('document as YAML, identity', read(`${path}/openapi.yaml`, bearer));
  await step('document as JSON, to a slow reader', () => slowly(address, `${path}/openapi.json`, bearer, 4_000));
  const slice = `${path}/operations/${operation?.operation_key ?? ''}`;
  await step('one operation', read(slice, bearer));
  await step('one operation, again', read(`${slice}?detail=full`, bearer));
  await step('list of operations', read(`${path}/operations`, bearer));
  const call = descriptionCall(id, operation?.operation_key);
  const mcp = { ...bearer, 'content-type': 'application/json', ...mcpAccept };
  await step('one operation, by MCP', () => exchange(address, 'POST', '/mcp', mcp, Buffer.from(JSON.stringify(call))));
  await step('replace', send('PUT', path, bodies[1] ?? Buffer.alloc(0)));
  await step('index again', grown);
  await step('replace by itself', send('PUT', path, bodies[1] ?? Buffer.alloc(0)));
  await step('two at once', async () => {
    const both = [bodies[0], bodies[1]].map((body) => send('PUT', path, body ?? Buffer.alloc(0))());
    return (await Promise.all(both)).find(({ status }) => status >= 400);
  });
  await step('index after both', grown);
  await step('delete', () => exchange(address, 'DELETE', path, bearer));
  await step('nothing, after all', () => pause(2_000));
  return {
    bytes: text.body.length,
    rssBeforeMiB: before / 1_024,
    rssAfterMiB: memoryKiB(pid).now / 1_024,
    longestWaitMs: Math.max(...steps.flatMap(({ waits }) => Object.values(waits).map(({ max }) => max))),
    grownMiB: Math.max(...steps.map(({ grownMiB }) => grownMiB)),
    steps,
  };
}

/** Runs steps one after another, and notes what each took. */
function createSteps(pid: number, beforeKiB: number, bystander: Pick<Bystander, 'take'>) {
  const steps: Step[] = [];
  const step = async (name: string, work: () => Promise<Exchange | void>): Promise<Exchange | void> => {
    forgetPeak(pid);
    const from = performance.now();
    const done = await work();
    const ms = performance.now() - from;
    await pause(100);
    steps.push({
      step: name,
      ms,
      status: done?.status ?? null,
      bytes: done?.body.length ?? null,
      grownMiB: (memoryKiB(pid).peak - beforeKiB) / 1_024,
      ...(await watch()),
      waits: await bystander.take(),
    });
    if (!values.quiet) console.error(lineOf(steps.at(-1)));
    return done;
  };
  return { steps, step };
}

/** The answer is the collection with its whole document, which is not parsed for that. */
function idOf(body: Buffer): string {
  return /^\{"id":"([^"]+)"/.exec(body.toString('latin1', 0, 100))?.[1] ?? '';
}

function descriptionCall(id: string, key: string | undefined) {
  const params = { name: 'describe_operation', arguments: { collection_id: id, operation_key: key } };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

type Api = ReturnType<typeof createApiClient>;
type Headers = Readonly<Record<string, string>>;

/** A client with two small collections, of which one has a stored credential. */
async function others(address: string, api: Api, admin: { readonly token: string }) {
  const registration = { firebase_uid: 'bystander', email: 'bystander@example.com', full_name: 'Bystander' };
  const { id } = await api.ask<{ id: string }>(null, 'POST', '/api/profiles/register', registration);
  const approved = await api.ask<{ client_id: string; client_secret: string }>(
    admin,
    'POST',
    `/api/profiles/${id}/approve`,
  );
  const create = async (name: string, authentication?: object) => {
    const document = JSON.parse(bigDocument(0, 20, 1)) as object;
    const collection = await api.ask<{ id: string }>(admin, 'POST', '/api/collections/', {
      name,
      openapi_spec: document,
      authentication,
    });
    await api.ask(admin, 'POST', `/api/access/clients/${id}/collections/${collection.id}`);
    await indexed(api, admin, collection.id);
    return collection.id;
  };
  const key = { 'x-client-id': approved.client_id, 'x-api-key': approved.client_secret };
  // The first call of MCP loads what answers it, whatever the documents.
  const mcp = { ...key, 'content-type': 'application/json', ...mcpAccept };
  await exchange(address, 'POST', '/mcp', mcp, Buffer.from(JSON.stringify(listCall)));
  return {
    key,
    small: await create('small'),
    stored: await create('stored', { type: 'apiKey', name: 'X-Key', value: 'secret' }),
  };
}

function repeated(small: string, stored: string, key: Headers): readonly RepeatedRequest[] {
  const json = { ...key, 'content-type': 'application/json' };
  const get = (name: string, path: string, everyMs: number): RepeatedRequest => ({
    ...{ name, path, everyMs, headers: key },
    method: 'GET',
    body: '',
  });
  const post = (name: string, path: string, body: unknown): RepeatedRequest => ({
    ...{ name, path, everyMs: 10, headers: json },
    method: 'POST',
    body: JSON.stringify(body),
  });
  return [
    get('health', '/health', 2),
    get('metadata', `/api/collections/${small}/metadata`, 2),
    get('credential', `/api/collections/${stored}/metadata`, 5),
    post('audit entry', '/api/audit/', { message: { action: 'api_call', status_code: 200 } }),
    post('search', '/api/vector/search', { query: 'refund a payment' }),
    post('operations', '/api/operations/search', { query: 'refund a payment' }),
  ];
}

/** Waits until the collection's operations are embedded and found. */
async function indexed(api: Api, admin: { readonly token: string }, id: string): Promise<void> {
  interface Progress {
    readonly operations: { readonly total: number; readonly done: number } | null;
  }
  for (;;) {
    const { operations } = await api.ask<Progress>(admin, 'GET', '/api/vector/reindex');
    if (operations && operations.done === operations.total) break;
    await pause(50);
  }
  const [{ summary } = { summary: '' }] = await api.ask<{ summary: string }[]>(
    admin,
    'GET',
    `/api/collections/${id}/operations?limit=1`,
  );
  const question = { query: summary, collection_id: id };
  while ((await api.ask<unknown[]>(admin, 'POST', '/api/operations/search', question)).length === 0) await pause(50);
}

interface Exchange {
  readonly status: number;
  readonly etag: string;
  readonly body: Buffer;
}

function exchange(address: string, method: string, path: string, headers: Headers, body?: Buffer): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const length = body ? { 'content-length': body.length } : {};
    const sent = request(`${address}${path}`, { method, headers: { ...headers, ...length } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, headers: of } = response;
        resolve({ status: statusCode, etag: of.etag ?? '', body: Buffer.concat(parts) });
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** Reads nothing of an answer for a while, and then all of it. */
function slowly(address: string, path: string, headers: Headers, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const agent = new Agent();
    const sent = request(`${address}${path}`, { headers, agent }, (response) => {
      setTimeout(() => response.resume().on('end', () => resolve()), ms);
    });
    sent.on('error', reject).end();
  });
}

/**
 * Starts those that are beside the threads of this process, which give way from then on: who sends a document and reads it is
 * elsewhere in life, and leaves the processors to those that are measured.
 */
async function besides<Started>(start: () => Promise<Started>): Promise<Started> {
  const own = readdirSync('/proc/self/task');
  const started = await start();
  for (const thread of own) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
  return started;
}

function watch(): Promise<ProcessWatch> {
  return new Promise((resolve, reject) => {
    let text = '';
    const connection = connect(socket);
    connection.setEncoding('utf8').on('data', (part: string) => (text += part));
    connection.on('error', reject).on('end', () => resolve(JSON.parse(text) as ProcessWatch));
  });
}

/** What a process has in memory, and the most since its peak was forgotten, by Linux. */
function memoryKiB(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [now, peak] = ['VmRSS', 'VmHWM'].map((name) => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]));
  return { now: now ?? Number.NaN, peak: peak ?? Number.NaN };
}

function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function lineOf(step: Step | undefined): string {
  if (!step) return '';
  const waits = Object.entries(step.waits).map(([name, { max }]) => `${name} ${max.toFixed(0)}`);
  const own = Math.max(...Object.values(step.waits).map(({ ownMs }) => ownMs));
  return (
    `${step.step.padEnd(36)} ${step.ms.toFixed(0).padStart(6)} ms ${String(step.status ?? '').padStart(4)} ` +
    `loop ${step.loopHeldMs.toFixed(0).padStart(4)} cpu ${step.loopCpuMs.toFixed(0).padStart(3)} gc ${step.collectedMs.toFixed(0).padStart(3)} ` +
    `own ${own.toFixed(0).padStart(3)} MiB ${step.grownMiB.toFixed(0).padStart(4)} heap ${step.heapUsedMiB.toFixed(0)}/${step.heapMiB.toFixed(0)}+${step.externalMiB.toFixed(0)}  ${waits.join(', ')}`
  );
}
