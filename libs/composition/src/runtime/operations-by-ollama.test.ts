import { authorityOf } from '@portico/domain';
import { startFakeOllama, stopTime, createTemporaryFolder, type FakeOllama } from '@portico/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { compose, type Composition } from '../wiring/compose.ts';
import { localAdmin, readConfig } from '../config.ts';
import { startBackground } from './background.ts';
import { createLogger } from './logging.ts';

const intervals = {
  relayMs: 20,
  pruneMs: 30,
  callsMs: 30,
  modelMs: 30,
  modelChangeMs: 30,
  heartbeatMs: 20,
  usageMs: 20,
  modelMaxMs: 60,
};

const open = async (): Promise<{ readonly fake: FakeOllama; readonly portico: Composition }> => {
  const fake = await startFakeOllama();
  const config = readConfig({
    DATA_DIR: createTemporaryFolder(onTestFinished),
    OLLAMA_URL: fake.url,
    OLLAMA_PULL: 'false',
    OPERATION_EMBEDDER: 'ollama',
  });
  const portico = await compose(config, createLogger('silent', 'test'), 'http');
  onTestFinished(async () => {
    await portico.close();
    await fake.close();
  });
  return { fake, portico };
};

/** Creates a collection whose operations have these summaries. */
const create = async ({ useCases, documents, ports }: Composition, name: string, summaries: readonly string[]) => {
  const admin = await ports.profiles.findByEmail(localAdmin.email);
  if (!admin) throw new Error('There is no admin');
  const paths = Object.fromEntries(summaries.map((summary, i) => [`/${i}`, { get: { summary, responses: {} } }]));
  const spec = { openapi: '3.0.3', info: { title: name, version: '1' }, paths };
  const document = await documents.readFile(Buffer.from(JSON.stringify(spec)));
  const fields = { name, description: '', authentication: null };
  const authority = authorityOf({ profile: admin, deadline: null });
  await useCases.createCollection(authority, admin.id, { ...fields, document, strict: false });
};

const admit = async ({ useCases, localIssuer }: Composition) => {
  const token = await localIssuer?.mint({ ...localAdmin, ttlSeconds: 60 });
  const credential = { kind: 'token', token: token ?? '' } as const;
  const request = { credential, auth: 'token', target: null, sender: { address: '::1' }, deadline: null } as const;
  return (await useCases.admit(request)).principal;
};

const findOperations = async (portico: Composition, query: string): Promise<readonly string[]> => {
  const search = { query, limit: 10, collectionId: null, method: null };
  return (await portico.useCases.searchOperations(await admit(portico), search)).results.map(
    ({ summary }) => summary ?? '',
  );
};

/** Returns the names of the matching collections. */
const findCollections = async (portico: Composition, query: string): Promise<readonly string[]> => {
  const { results } = await portico.useCases.searchCollections(await admit(portico), query, 10);
  return results.map(({ collectionName }) => collectionName);
};

const documentsOf = (fake: FakeOllama): readonly string[] =>
  fake
    .requestsTo('/api/embed')
    .flatMap(({ input }) => input as readonly string[])
    .filter((text) => text.startsWith('search_document: '))
    .map((text) => text.replace('search_document: ', ''));

const steps = Array.from({ length: 12 }, (_, i) => `Step ${i}`);

test('fake Ollama: operations are embedded by the model, and the progress is logged', async () => {
  const { fake, portico } = await open();
  await create(portico, 'Weather', ['Forecast of rain', 'Height of snow', 'Speed of wind']);
  for (const name of ['Steps', 'Stairs']) await create(portico, name, steps);
  fake.setFault({ delayMs: 60 });
  const messages: string[] = [];
  const logger = createLogger('info', 'test', {
    write: (line) => void messages.push((JSON.parse(line) as { readonly msg: string }).msg),
  });
  const background = startBackground({ ...portico, logger }, intervals);
  onTestFinished(() => background.stop());
  await expect.poll(() => messages).toContain('The operations of all collections are read and embedded');
  const lines = messages.filter((line) => line.includes('operations'));
  expect(lines[0]).toBe('The operations of collections were queued to be read and embedded');
  expect(lines.slice(1, -1)).toContain('The operations of collections are being embedded');
  expect((await findOperations(portico, 'forecast of rain'))[0]).toBe('Forecast of rain');
  expect(documentsOf(fake)).toContain('Forecast of rain\nget 0\nWeather');
});

test('fake Ollama: a shutdown interrupts the embedding of operations, which continues later', async () => {
  const { fake, portico } = await open();
  await create(portico, 'Steps', steps);
  const time = stopTime(vi);
  onTestFinished(time.restore);
  fake.setFault({ delayMs: 60 });
  const background = startBackground(portico, intervals);
  const listEmbeddedSteps = () => documentsOf(fake).filter((text) => text.startsWith('Step '));
  await time.advanceUntilSuccess(() => expect(listEmbeddedSteps().length).toBeGreaterThan(3));
  await time.advanceUntil(background.stop());
  expect(listEmbeddedSteps().length).toBeLessThan(steps.length);
  const [id] = await portico.ports.outbox.listDue('operations', Date.now(), 9);
  expect(id && (await time.advanceUntil(portico.useCases.workJob(id)))).toBe('done');
  expect(listEmbeddedSteps()).toHaveLength(steps.length);
  expect(new Set(listEmbeddedSteps()).size).toBe(steps.length);
});

test('fake Ollama: after an update that embeds documents again, searches use the old vectors until all are new', async () => {
  const { fake, portico } = await open();
  const { embedder, embeddings, models, outbox } = portico.ports;
  await create(portico, 'Weather', []);
  await create(portico, 'Payments', []);
  const currentModel = await embedder.getModelId();
  const previousModel = currentModel.replace(/\d+$/, '1');
  for (const job of await outbox.listDue('embed', Date.now(), 9)) await portico.useCases.workJob(job);
  for (const { collectionId, vector } of await embeddings.listChangedSince(0, currentModel, 9)) {
    await embeddings.put({ collectionId, modelId: previousModel, contentRevision: 1, vector });
  }
  while ((await models.removeEmbeddings(currentModel, 9)) > 0);
  await models.announce(previousModel, 1);
  await models.promote(null, previousModel);
  expect((await findCollections(portico, 'weather'))[0]).toBe('Weather');
  fake.requests.length = 0;
  const background = startBackground(portico, intervals);
  onTestFinished(() => background.stop());
  await expect.poll(async () => (await models.readState()).serving).toBe(currentModel);
  expect(documentsOf(fake)).toEqual(expect.arrayContaining(['Weather', 'Payments']));
  expect((await findCollections(portico, 'payments'))[0]).toBe('Payments');
});
