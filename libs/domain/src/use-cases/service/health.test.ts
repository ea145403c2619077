import { expect, test } from 'vitest';
import { PorticoError } from '../../errors.ts';
import type { Embedder } from '../../ports/embedder.ts';
import type { OperationIndex } from '../../ports/operation-index.ts';
import type { Probe } from '../../ports/probe.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';
import { watchHealth } from './health.ts';

/** Creates a dependency that responds on command and counts its checks. */
const createDependency = () => {
  const fake = {
    checks: 0,
    pending: Promise.withResolvers<void>(),
    check: () => {
      fake.checks += 1;
      return fake.pending.promise;
    },
    answer: () => fake.pending.resolve(),
    fail: (error: Error) => fake.pending.reject(error),
    hang: () => {
      fake.pending = Promise.withResolvers<void>();
    },
  };
  return fake;
};

const setUpDependencies = (
  probeChange: Partial<Probe> = {},
  checkOperations = async (): Promise<void> => undefined,
) => {
  const [database, embedder, vectors] = [createDependency(), createDependency(), createDependency()];
  const clock = { elapsed: 0, now: () => 0, monotonic: () => clock.elapsed };
  const embedding: Embedder = {
    check: embedder.check,
    getModelId: async () => 'a model',
    embed: () => Promise.reject(new Error('not expected')),
  };
  const index: VectorIndex = {
    kind: 'an index',
    check: vectors.check,
    remove: async () => undefined,
    dropModel: async () => undefined,
    search: () => Promise.reject(new Error('not expected')),
  };
  const probes: readonly Probe[] = [{ name: 'database', essential: true, check: database.check, ...probeChange }];
  const operationIndex: OperationIndex = {
    check: checkOperations,
    search: () => Promise.reject(new Error('not expected')),
  };
  const health = watchHealth({ probes, embedder: embedding, vectors: index, operationIndex, clock });
  const allDependencies = [database, embedder, vectors];
  return {
    database,
    embedder,
    vectors,
    clock,
    health,
    allDependencies,
    listCheckCounts: () => allDependencies.map(({ checks }) => checks),
  };
};

const ok = { status: 'ok' };

const unavailable = { status: 'unavailable', reason: null };

test('three hundred concurrent callers cause one check of each dependency', async () => {
  const { health, allDependencies, listCheckCounts } = setUpDependencies();
  const [readinessReads, healthReads] = [
    Array.from({ length: 300 }, () => health.readReadiness()),
    Array.from({ length: 300 }, () => health.readVectorHealth()),
  ];
  for (const { answer } of allDependencies) answer();
  for (const readiness of await Promise.all(readinessReads)) {
    expect(readiness.parts.map(({ name, state }) => [name, state.status])).toEqual([
      ['database', 'ok'],
      ['embedder', 'ok'],
      ['vector index', 'ok'],
    ]);
  }
  for (const { embedder } of await Promise.all(healthReads)) expect(embedder).toEqual({ ...ok, model: 'a model' });
  expect(listCheckCounts()).toEqual([1, 1, 1]);
});

test('the vector index works only if the operation index does too', async () => {
  const { health, allDependencies } = setUpDependencies({}, () => Promise.reject(new Error('unavailable')));
  for (const { answer } of allDependencies) answer();
  expect((await health.readVectorHealth()).index).toEqual({ ...unavailable, kind: 'an index' });
});

test('a result is reused for one second after its check, regardless of the duration of the check', async () => {
  const { health, allDependencies, clock, database, listCheckCounts } = setUpDependencies();
  const firstRead = health.readReadiness();
  clock.elapsed = 60_000;
  const secondRead = health.readReadiness();
  for (const { answer } of allDependencies) answer();
  expect([(await firstRead).ready, (await secondRead).ready]).toEqual([true, true]);
  database.hang();
  database.fail(new Error('unavailable'));
  clock.elapsed += 999;
  expect((await health.readReadiness()).ready).toBe(true);
  expect(listCheckCounts()).toEqual([1, 1, 1]);
  clock.elapsed += 1;
  expect((await health.readReadiness()).ready).toBe(false);
  expect(listCheckCounts()).toEqual([2, 2, 2]);
});

test('a failure is shared like any other result', async () => {
  const { health, allDependencies, clock, embedder, listCheckCounts } = setUpDependencies();
  for (const { fail } of allDependencies.slice(1)) fail(new Error('unavailable'));
  expect(await health.readVectorHealth()).toMatchObject({
    healthy: false,
    embedder: { ...unavailable, model: null },
    index: { ...unavailable },
  });
  embedder.hang();
  embedder.answer();
  expect((await health.readVectorHealth()).embedder.status).toBe('unavailable');
  clock.elapsed += 1_000;
  expect((await health.readVectorHealth()).embedder).toEqual({ ...ok, model: 'a model' });
  expect(listCheckCounts()).toEqual([0, 2, 2]);
});

test('a probe decides how long its result is reused', async () => {
  const { health, allDependencies, clock, database } = setUpDependencies({ resultTtlMs: 10_000 });
  for (const { answer } of allDependencies) answer();
  await health.readReadiness();
  clock.elapsed = 9_999;
  await health.readReadiness();
  expect(database.checks).toBe(1);
  clock.elapsed = 10_000;
  await health.readReadiness();
  expect(database.checks).toBe(2);
});

test('the service is ready without a non-essential dependency, and reports only the reasons of its own errors', async () => {
  const { health, database, embedder, vectors } = setUpDependencies();
  database.answer();
  embedder.fail(new PorticoError('embedding_unavailable', { reason: 'the model is being pulled' }));
  vectors.fail(new Error('connect ECONNREFUSED 10.1.2.3:6333'));
  const { ready, parts } = await health.readReadiness();
  expect(ready).toBe(true);
  expect(parts.map(({ state }) => state)).toMatchObject([
    ok,
    { reason: expect.stringContaining('pulled') as string },
    unavailable,
  ]);
});
