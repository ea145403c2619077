import { authorityOf, createUseCases, missingEmbeddings, type CollectionId } from '@portico/domain';

import { createWordVectorEmbedder } from '@portico/word-vectors';
import { expect, test } from 'vitest';
import { createHarness, defaultSettings, type Harness } from './harness.ts';
import { testIssuer } from './test-issuer.ts';

const spec = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: {} };

const createHarnessWithCollections = async (...names: readonly string[]): Promise<Harness> => {
  const harness = createHarness();
  const { useCases, documents } = harness;
  const admin = await useCases.claimFirstAdmin({ uid: 'root', email: 'root@example.com', issuer: testIssuer });
  const document = await documents.readFile(Buffer.from(JSON.stringify(spec)));
  if (!admin) throw new Error('There is already an admin');
  for (const name of names) {
    const collection = { name, description: '', authentication: null, document, strict: false };
    await useCases.createCollection(authorityOf({ profile: admin, deadline: null }), admin.id, collection);
  }
  return harness;
};

const search = async ({ useCases, tokens }: Harness, query: string) => {
  const credential = { kind: 'token', token: tokens.mint({ uid: 'root', email: 'root@example.com' }) } as const;
  const { principal } = await useCases.admit({
    credential,
    auth: 'token',
    target: null,
    sender: { address: '::1' },
    deadline: null,
  });
  const { results } = await useCases.searchCollections(principal, query, 10);
  return results.map(({ collectionName }) => collectionName);
};

const countWaiting = async ({ ports, clock }: Harness) => (await ports.outbox.readState(clock.now())).waiting;

test('while a changed model re-embeds, searches only use its own vectors', async () => {
  const harness = await createHarnessWithCollections('weather', 'weather archive');
  await harness.runJobs();
  expect(await search(harness, 'weather')).toEqual(['weather', 'weather archive']);
  harness.embedder.change();
  expect(await search(harness, 'weather')).toEqual([]);
  expect((await harness.useCases.checkModels()).outdatedCount).toBe(2);
  const [firstJob] = await harness.ports.outbox.listDue('embed', harness.clock.now(), 1);
  if (firstJob) await harness.useCases.workJob(firstJob);
  expect(await search(harness, 'weather')).toHaveLength(1);
  await harness.runJobs();
  expect(await search(harness, 'weather')).toEqual(['weather', 'weather archive']);
});

test('a second check adds no jobs, but still returns the number of outdated vectors', async () => {
  const harness = await createHarnessWithCollections('weather', 'payments');
  await harness.runJobs();
  harness.embedder.change();
  for (let time = 1; time <= 3; time += 1) expect((await harness.useCases.checkModels()).outdatedCount).toBe(2);
  expect(await countWaiting(harness)).toBe(2);
  const now = harness.clock.now();
  const [id] = await harness.ports.outbox.listDue('embed', now, 1);
  expect(id && (await harness.ports.outbox.claim(id, now, now + 1))?.group).toBe(missingEmbeddings);
});

test('jobs for many collections are added in batches, and earlier batches are kept after a failure', async () => {
  const harness = createHarness();
  const { random, embeddings, embeddingJobs } = harness.ports;
  const listOutdated = async () => ids;
  const ids = Array.from({ length: 5_000 }, () => random.uuid() as CollectionId);
  const sizes: number[] = [];
  const enqueue: typeof embeddingJobs.enqueue = async (effects) => {
    sizes.push(effects.jobs?.length ?? 0);
    if (sizes.length === 2) throw new Error('The database went down');
    await embeddingJobs.enqueue(effects);
  };
  const { checkModels } = createUseCases(
    { ...harness.ports, embeddings: { ...embeddings, listOutdated }, embeddingJobs: { ...embeddingJobs, enqueue } },
    defaultSettings,
  );
  await expect(checkModels()).rejects.toThrow('The database went down');
  expect(await countWaiting(harness)).toBe(2_000);
  expect((await checkModels()).outdatedCount).toBe(5_000);
  expect(await countWaiting(harness)).toBe(5_000);
  expect(sizes).toEqual([2_000, 2_000, 2_000, 1_000]);
  expect((await checkModels()).outdatedCount).toBe(5_000);
  expect(sizes).toHaveLength(4);
});

test('a vector that the earlier model stores late is found to be outdated by the next check', async () => {
  const harness = await createHarnessWithCollections('weather');
  await harness.runJobs();
  harness.embedder.change();
  expect((await harness.useCases.checkModels()).outdatedCount).toBe(1);
  for (const id of await harness.ports.outbox.listDue('embed', harness.clock.now(), 9))
    await harness.ports.outbox.complete(id);
  expect((await harness.useCases.checkModels()).outdatedCount).toBe(1);
  expect(await countWaiting(harness)).toBe(1);
});

test('once nothing is outdated, collections are not read again until the model or one of them changes', async () => {
  const harness = await createHarnessWithCollections('weather');
  await harness.runJobs();
  const queriedModels: string[] = [];
  const { embeddings } = harness.ports;
  const listOutdated = async (modelId: string) => {
    queriedModels.push(modelId);
    return embeddings.listOutdated(modelId);
  };
  const { checkModels } = createUseCases(
    { ...harness.ports, embeddings: { ...embeddings, listOutdated } },
    defaultSettings,
  );
  for (let time = 1; time <= 3; time += 1) expect((await checkModels()).outdatedCount).toBe(0);
  const builtIn = await createWordVectorEmbedder().getModelId();
  expect(queriedModels).toEqual([`${builtIn}/1`]);
  harness.embedder.change();
  for (let time = 1; time <= 2; time += 1) expect((await checkModels()).outdatedCount).toBe(1);
  await harness.runJobs();
  for (let time = 1; time <= 3; time += 1) expect((await checkModels()).outdatedCount).toBe(0);
  expect(queriedModels).toEqual([1, 2, 2, 2].map((version) => `${builtIn}/${version}`));
  const [id] = await harness.ports.collections.listVisibleIds({ scope: 'all' });
  await harness.ports.embeddings.put({ ...vectorOf(id), modelId: 'a model of an earlier version' });
  for (let time = 1; time <= 3; time += 1) expect((await checkModels()).outdatedCount).toBe(0);
  expect(queriedModels).toHaveLength(5);
});

const vectorOf = (id: CollectionId | undefined) => ({
  collectionId: id as CollectionId,
  contentRevision: 1,
  vector: new Float32Array(768).fill(1),
});
