import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { authorityOf, type Principal, type CollectionId } from '@portico/domain';
import {
  fakeNomic,
  createRecordingStream,
  startFakeOllama,
  stopTime,
  createTemporaryFolder,
  type FakeOllama,
  type StoppedTime,
} from '@portico/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startBackground } from './background.ts';
import { compose, type Composition, type Portico } from '../wiring/compose.ts';
import { localAdmin, readConfig } from '../config.ts';
import { createLogger } from './logging.ts';

const intervals = { relayMs: 20, pruneMs: 30, callsMs: 30, modelMs: 30, modelMaxMs: 30, heartbeatMs: 20, usageMs: 20 };
const changedModel = { ...fakeNomic, digest: 'c'.repeat(64) };

const stoppedTime = (): StoppedTime => {
  const time = stopTime(vi);
  onTestFinished(time.restore);
  return time;
};

const open = async (fake: FakeOllama, variables: Record<string, string> = {}): Promise<Composition> => {
  const config = readConfig({
    DATA_DIR: createTemporaryFolder(onTestFinished),
    OLLAMA_URL: fake.url,
    OLLAMA_PULL: 'false',
    ...variables,
  });
  const portico = await compose(config, createLogger('silent', 'test'), 'http');
  onTestFinished(() => portico.close());
  return portico;
};

const openFake = async (...args: Parameters<typeof startFakeOllama>): Promise<FakeOllama> => {
  const fake = await startFakeOllama(...args);
  onTestFinished(() => fake.close());
  return fake;
};

const startWork = (portico: Portico): void => {
  const background = startBackground(portico, intervals);
  onTestFinished(() => background.stop());
};

/** Starts the background work. The returned function returns how often the use case has finished. */
const startCounting = (
  portico: Portico,
  name: 'checkModels' | 'pruneAudit' | 'pruneRevisions' | 'expireCalls',
): (() => number) => {
  let finishedCount = 0;
  const countingUseCase = async (...parameters: [never]): Promise<unknown> => {
    try {
      return await portico.useCases[name](...parameters);
    } finally {
      finishedCount += 1;
    }
  };
  startWork({ ...portico, useCases: { ...portico.useCases, [name]: countingUseCase } });
  return () => finishedCount;
};

/** Returns the local admin, who sees every collection. */
const admit = async ({ useCases, localIssuer }: Portico): Promise<Principal> => {
  const token = await localIssuer?.mint({ ...localAdmin, ttlSeconds: 60 });
  const credential = { kind: 'token', token: token ?? '' } as const;
  return (await useCases.admit({ credential, auth: 'token', target: null, sender: { address: '::1' }, deadline: null }))
    .principal;
};

const search = async (portico: Composition, query: string) =>
  (await portico.useCases.searchCollections(await admit(portico), query, 10)).results;

const create = async (portico: Composition, name: string): Promise<CollectionId> => {
  const { useCases, documents, ports } = portico;
  const admin = await ports.profiles.findByEmail(localAdmin.email);
  if (!admin) throw new Error('There is no admin');
  const spec = { openapi: '3.0.3', info: { title: name, version: '1' }, paths: {} };
  const document = await documents.readFile(Buffer.from(JSON.stringify(spec)));
  const fields = { name, description: '', authentication: null };
  return (
    await useCases.createCollection(authorityOf({ profile: admin, deadline: null }), admin.id, {
      ...fields,
      document,
      strict: false,
    })
  ).id;
};

/** Returns the pending jobs that embed a collection. */
const findDueJobs = ({ ports }: Composition) => ports.outbox.listDue('embed', Number.MAX_SAFE_INTEGER, 100);

const countEmbedded = async ({ ports }: Composition) =>
  ports.embeddings.countEmbedded(await ports.embedder.getModelId());

test('fake Ollama: after the model changes, collections are embedded again, and no search finds an old vector', async () => {
  const fake = await openFake();
  const portico = await open(fake);
  for (const name of ['rain and wind', 'rain and snow', 'credit cards']) await create(portico, name);
  for (const id of await findDueJobs(portico)) await portico.useCases.workJob(id);
  expect(await search(portico, 'rain')).toHaveLength(3);

  fake.install(changedModel);
  // A repeated query is not embedded again, so it does not reveal that the model has changed.
  expect(await search(portico, 'rain')).toHaveLength(3);
  expect(await search(portico, 'snow')).toEqual([]);
  expect(await search(portico, 'rain')).toEqual([]);
  expect(await portico.ports.embedder.getModelId()).toContain('@cccc');
  expect((await portico.useCases.checkModels()).outdatedCount).toBe(3);
  const [firstJob] = await findDueJobs(portico);
  if (!firstJob) throw new Error('No job waits');
  await portico.useCases.workJob(firstJob);
  expect(await search(portico, 'rain')).toHaveLength(1);

  startWork(portico);
  await expect.poll(() => countEmbedded(portico)).toBe(3);
  const results = await search(portico, 'rain');
  expect(results.map(({ collectionName }) => collectionName).slice(0, 2)).toEqual(['rain and snow', 'rain and wind']);
  expect(results).toHaveLength(3);
});

test('fake Ollama: after switching to Ollama, searches use the built-in vectors until all new vectors exist', async () => {
  const fake = await openFake();
  const folder = createTemporaryFolder(onTestFinished);
  const builtIn = await compose(readConfig({ DATA_DIR: folder }), createLogger('silent', 'test'), 'http');
  for (const name of ['rain and wind', 'rain and snow', 'credit cards']) await create(builtIn, name);
  await builtIn.useCases.checkModels();
  for (const id of await findDueJobs(builtIn)) await builtIn.useCases.workJob(id);
  const results = await search(builtIn, 'rain');
  expect(results).toHaveLength(3);
  await builtIn.close();

  const portico = await open(fake, { DATA_DIR: folder });
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger('info', 'test', {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  expect(await search(portico, 'rain')).toEqual(results);
  fake.setFault('failure');
  startWork({ ...portico, logger });
  await expect.poll(() => fake.requestsTo('/api/embed').length).toBeGreaterThan(0);
  expect(await search(portico, 'rain')).toEqual(results);
  fake.setFault(null);
  const readServingModel = async () => (await portico.ports.models.readState()).serving;
  await expect.poll(readServingModel).toBe(await portico.ports.embedder.getModelId());
  const newResults = await search(portico, 'rain');
  expect(newResults).toHaveLength(3);
  expect(newResults).not.toEqual(results);
  const messages = lines.map(({ msg }) => String(msg));
  expect(messages.filter((line) => line.startsWith('Collections are being embedded with a new model'))).not.toEqual([]);
  expect(messages.filter((line) => line.startsWith('Everything is embedded'))).toHaveLength(1);
});

test('fake Ollama: each pending embedding is a separate request, so that searches run in between', async () => {
  const fake = await openFake();
  const portico = await open(fake);
  for (let number = 1; number <= 8; number += 1) await create(portico, `rain ${number}`);
  const time = stoppedTime();
  fake.setFault({ delayMs: 1_500 }, 1);
  const background = startBackground(portico, intervals);
  await time.advanceUntilSuccess(async () => expect(await countEmbedded(portico)).toBe(8));
  await time.advanceUntil(background.stop());
  const sizes = fake.requestsTo('/api/embed').map(({ input }) => (input as readonly string[]).length);
  // A request without text loads the model.
  expect(sizes.filter((size) => size > 0)).toEqual(Array.from({ length: 8 }, () => 1));
});

test('fake Ollama: a process that runs jobs notices a replaced model', async () => {
  const fake = await openFake();
  const portico = await open(fake);
  await create(portico, 'rain and wind');
  startWork(portico);
  await expect.poll(() => countEmbedded(portico)).toBe(1);
  for (const model of [changedModel, fakeNomic]) {
    fake.install(model);
    // The next embedding notices the change; without a new query, the embedder would cache the model's id for a minute.
    await search(portico, `rain by ${model.digest}`);
    await expect.poll(() => search(portico, 'rain')).toHaveLength(1);
  }
});

test('fake Ollama: outdated embeddings are renewed once Ollama is available again, even after a long outage', async () => {
  const fake = await openFake();
  const folder = createTemporaryFolder(onTestFinished);
  const firstPortico = await open(fake, { DATA_DIR: folder });
  await create(firstPortico, 'rain and wind');
  for (const id of await findDueJobs(firstPortico)) await firstPortico.ports.outbox.complete(id);
  await firstPortico.close();
  await fake.control.stop();

  const portico = await open(fake, { DATA_DIR: folder });
  const countChecks = startCounting(portico, 'checkModels');
  await expect.poll(countChecks).toBeGreaterThanOrEqual(3);
  expect(await findDueJobs(portico)).toEqual([]);
  await fake.control.start();
  await expect.poll(() => countEmbedded(portico)).toBe(1);
});

test('fake Ollama: a collection has one job, even if several processes check for outdated embeddings', async () => {
  const fake = await openFake();
  const folder = createTemporaryFolder(onTestFinished);
  const portico = await open(fake, { DATA_DIR: folder });
  const secondPortico = await open(fake, { DATA_DIR: folder });
  for (const name of ['rain', 'snow']) await create(portico, name);
  fake.setFault('failure');
  for (const countChecks of [portico, secondPortico].map((composition) => startCounting(composition, 'checkModels')))
    await expect.poll(countChecks).toBeGreaterThanOrEqual(3);
  expect(await findDueJobs(portico)).toHaveLength(2);
});

test('fake Ollama: with JOBS=off a process does not check for outdated embeddings', async () => {
  const fake = await openFake();
  const portico = await open(fake, { JOBS: 'off', AUDIT_RETENTION_DAYS: '1' });
  const countPrunings = startCounting(portico, 'pruneAudit');
  await expect.poll(countPrunings).toBeGreaterThanOrEqual(3);
  expect(fake.requests).toEqual([]);
});

test('old revisions are removed again and again, even with JOBS=off', async () => {
  const portico = await open(await openFake(), { JOBS: 'off' });
  await expect.poll(startCounting(portico, 'pruneRevisions')).toBeGreaterThanOrEqual(3);
});

test('calls are expired again and again, even with JOBS=off', async () => {
  const portico = await open(await openFake(), { JOBS: 'off' });
  await expect.poll(startCounting(portico, 'expireCalls')).toBeGreaterThanOrEqual(3);
});

test('old audit entries are removed in batches until it is stopped, yielding to the event loop after each', async () => {
  const portico = await compose(
    readConfig({ DATA_DIR: createTemporaryFolder(onTestFinished), AUDIT_RETENTION_DAYS: '1' }),
    createLogger('silent', 'test'),
    'http',
  );
  onTestFinished(() => portico.close());
  let [batches, ticks] = [0, 0];
  const tick = () => {
    ticks += 1;
    timer = setImmediate(tick);
  };
  let timer = setImmediate(tick);
  onTestFinished(() => clearImmediate(timer));
  // Like SQLite, this takes a while and never yields, and there is always more to remove.
  const pruneAudit = (): Promise<number> => {
    for (const end = performance.now() + 4; performance.now() < end;);
    batches += 1;
    return Promise.resolve(1_000);
  };
  const background = startBackground({ ...portico, useCases: { ...portico.useCases, pruneAudit } }, intervals);
  await expect.poll(() => batches).toBeGreaterThanOrEqual(100);
  expect(ticks).toBeGreaterThanOrEqual(99);
  await background.stop();
  const batchesAtStop = batches;
  await expect.poll(() => ticks > 2 * batchesAtStop).toBe(true);
  expect(batches).toBe(batchesAtStop);
});

test('the heartbeat continues until it is stopped, even with JOBS=off', async () => {
  const folder = createTemporaryFolder(onTestFinished);
  const file = join(folder, 'heartbeat');
  const portico = await compose(
    readConfig({ DATA_DIR: folder, HEARTBEAT_FILE: file, JOBS: 'off' }),
    createLogger('silent', 'test'),
    'http',
  );
  onTestFinished(() => portico.close());
  const time = stoppedTime();
  const background = startBackground(portico, intervals);
  const readHeartbeat = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  await time.advanceUntilSuccess(() => expect(readHeartbeat()).toMatch(/Z$/m));
  const firstHeartbeat = readHeartbeat();
  await time.advanceUntilSuccess(() => expect(readHeartbeat()).not.toBe(firstHeartbeat));
  await background.stop();
  rmSync(file);
  for (let beat = 0; beat < 3; beat += 1) await time.advance(intervals.heartbeatMs);
  expect(existsSync(file)).toBe(false);
});

test('a database outage is logged when it begins and when it ends, regardless of the number of failed attempts', async () => {
  const portico = await compose(
    readConfig({ DATA_DIR: createTemporaryFolder(onTestFinished) }),
    createLogger('silent', 'test'),
    'http',
  );
  onTestFinished(() => portico.close());
  const { stream, chunks: lines } = createRecordingStream();
  let attempts = 0;
  const relayJobs = async (): Promise<number> => {
    attempts += 1;
    if (attempts <= 3) throw new Error('The database is unavailable');
    return portico.useCases.relayJobs();
  };
  startWork({
    ...portico,
    logger: createLogger('info', 'test', stream),
    useCases: { ...portico.useCases, relayJobs },
  });
  await expect.poll(() => attempts).toBeGreaterThanOrEqual(6);
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages).toEqual(['Relaying jobs failed; retrying', 'Relaying jobs works again']);
});
