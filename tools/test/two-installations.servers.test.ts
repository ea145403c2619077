import { join } from 'node:path';
import { createLogger } from '@portico/composition';
import { startPostgres, connectToQdrant, startFakeQdrant, startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { startComposed, type ComposedService } from './composed-service.ts';
import { addCollection } from './clients.ts';
import { pollUntil } from './faults/traffic.ts';
import type { Installation } from './installation.ts';
import { openInstallation } from './provide-installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
const fakeQdrant = await startFakeQdrant();
const realQdrant = await connectToQdrant();
afterAll(async () => {
  for (const server of [postgres, redis, fakeQdrant]) await server?.close();
});

/** An installation, its admin, and the results that its searches must return: the collections' words by id. */
interface Side {
  readonly installation: Installation;
  readonly words: Map<string, string>;
  admin: Credential;
  service: ComposedService;
}

const openSide = async (variables: Record<string, string>): Promise<Side> => {
  const installation = await openInstallation({ RATE_LIMIT_DEFAULT: '1000000/60', ...variables });
  const service = await installation.compose();
  return { installation, words: new Map(), admin: await installation.createAdminToken(), service };
};

const documentOf = (word: string) => ({
  openapi: '3.0.3',
  info: { title: word, version: '1' },
  paths: { [`/${word}`]: { get: { summary: `Read the ${word}`, responses: {} } } },
});

/** Makes 100 changes: creates 60 collections, changes the description of 20, and deletes 20. */
const makeChanges = async ({ installation: { api }, admin, words }: Side, prefix: string): Promise<void> => {
  const ids: string[] = [];
  for (let number = 0; number < 60; number += 1) {
    const word = `${prefix}${number}`;
    const body = { name: word, description: `About ${word}`, openapi_spec: documentOf(word) };
    const id = await addCollection(api, admin, body);
    ids.push(id);
    words.set(id, word);
  }
  for (const id of ids.slice(0, 20))
    await api.request(admin, 'PUT', `/api/collections/${id}`, { description: `All about ${words.get(id)}` });
  for (const id of ids.slice(20, 40)) {
    await api.request(admin, 'DELETE', `/api/collections/${id}`);
    words.delete(id);
  }
};

interface Match {
  readonly collection_id: string;
}

/** Expects searches to return exactly the installation's collections, and waits until Qdrant provides them. */
const expectCompleteResults = async ({ installation: { api }, admin, words }: Side): Promise<void> => {
  const expectedIds = [...words.keys()].sort();
  for (const path of ['/api/vector/search', '/api/operations/search']) {
    const search = async () => {
      const response = await api.call(admin, 'POST', path, { query: 'read about it', k_limit: 100 });
      expect((response.body as Match[]).map(({ collection_id }) => collection_id).sort(), path).toEqual(expectedIds);
      return response;
    };
    await pollUntil(search, ({ headers }) => !headers.has('x-search-mode'));
  }
};

/** Waits until everything is embedded, so that search results are complete. */
const waitUntilEmbedded = async ({ installation: { api }, admin, words, service }: Side): Promise<void> => {
  const { embeddings, embedder } = service.portico.ports;
  const isComplete = (count: number) => count === words.size;
  await pollUntil(async () => embeddings.countEmbedded(await embedder.getModelId()), isComplete);
  await pollUntil(
    () => api.request<{ operations: { done: number } }>(admin, 'GET', '/api/vector/reindex'),
    ({ operations }) => isComplete(operations.done),
  );
};

const servers = [
  ['a fake Qdrant', fakeQdrant],
  ['a real Qdrant', realQdrant],
] as const;

describe.each(servers)('two installations on one Redis and %s', (_name, qdrant) => {
  test.skipIf(!postgres || !redis || !qdrant)('do not affect each other, however often they restart', async () => {
    const sharedVariables = {
      REDIS_URL: redis?.url ?? '',
      QDRANT_URL: qdrant?.url ?? '',
      ...(realQdrant && qdrant === realQdrant ? { QDRANT_API_KEY: realQdrant.apiKey ?? '' } : {}),
      RATE_LIMIT_ANONYMOUS: '5/3600',
    };
    const firstSide = await openSide(sharedVariables);
    const secondSide = await openSide({ ...sharedVariables, DATABASE_URL: (await postgres?.createDatabase()) ?? '' });
    await Promise.all([makeChanges(firstSide, 'apple'), makeChanges(secondSide, 'pear')]);
    for (const side of [firstSide, secondSide]) {
      await waitUntilEmbedded(side);
      await expectCompleteResults(side);
    }
    for (const restartedSides of [[firstSide], [secondSide], [secondSide, firstSide], [firstSide, secondSide]]) {
      for (const { service } of restartedSides) await service.stop();
      for (const side of restartedSides) {
        side.service = await side.installation.compose();
        await expectCompleteResults(side);
      }
      for (const side of [firstSide, secondSide]) await expectCompleteResults(side);
    }

    const statusOf = async ({ installation: { api } }: Side) =>
      (await api.call(null, 'GET', '/api/collections/')).status;
    const readStatuses = async (side: Side) => Promise.all(Array.from({ length: 6 }, () => statusOf(side)));
    for (const side of [firstSide, secondSide])
      expect((await readStatuses(side)).sort()).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

const checkOf = async ({ runTool }: Installation, id: string) => {
  const { stdout } = await runTool('--json', 'doctor');
  const { checks } = JSON.parse(stdout) as {
    checks: (Record<'said', string> & { id: string; state: string; advice: string })[];
  };
  return checks.find((check) => check.id === id);
};

describe.each([
  ['Redis', () => ({ REDIS_URL: redis?.url ?? '' })],
  ['Qdrant', () => ({ QDRANT_URL: fakeQdrant.url })],
] as const)('a copy of a database on the same %s', (server, variables) => {
  const id = `${server.toLowerCase()}.installations`;

  test.skipIf(!redis)('is reported by both while both run, until the copy has a new id', async () => {
    const original = await openInstallation(variables());
    const copy = await openInstallation(variables());
    const archive = join(copy.folder, 'backup.tar');
    const originalService = await original.compose();
    await originalService.portico.presence?.announce();
    expect((await original.runTool('backup', archive)).code).toBe(0);
    expect((await copy.runTool('restore', archive)).code).toBe(0);

    const replica = await original.composeReplica();
    await replica.portico.presence?.announce();
    expect(await checkOf(original, id)).toMatchObject({ state: 'ok' });

    const log: string[] = [];
    const logger = createLogger('info', 'copy', { write: (line) => void log.push(line) });
    const copyVariables = { DATA_DIR: copy.folder, PORT: '0', NODE_ENV: 'development', ...variables() };
    const copyService = await startComposed(copyVariables, undefined, logger);
    await originalService.portico.presence?.announce();
    await copyService.portico.presence?.announce();
    await pollUntil(
      () => log,
      (lines) => lines.some((line) => line.includes('one is a copy of the other')),
    );
    for (const side of [original, copy]) {
      const check = await checkOf(side, id);
      expect(check).toMatchObject({ state: 'wrong', said: expect.stringContaining('is a copy') as string });
      expect(check?.advice).toContain('portico new-identity');
    }

    expect(await copy.runTool('new-identity')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('stop') as string,
    });
    await copyService.stop();
    expect(await copy.runTool('new-identity')).toMatchObject({ code: 0 });
    const renamedService = await copy.compose();
    await renamedService.portico.presence?.announce();
    expect(renamedService.portico.installation).not.toBe(originalService.portico.installation);
    for (const side of [original, copy])
      expect(await checkOf(side, id)).toMatchObject({
        state: 'ok',
        said: expect.stringContaining('different names') as string,
      });
  });
});

test.skipIf(!postgres || !redis)('a database on PostgreSQL gets a new id only while no process uses it', async () => {
  const variables = { DATABASE_URL: (await postgres?.createDatabase()) ?? '', REDIS_URL: redis?.url ?? '' };
  const installation = await openInstallation(variables);
  const service = await installation.compose();
  const rejection = await installation.runTool('new-identity');
  expect(rejection).toMatchObject({ code: 1, stderr: expect.stringContaining('it is in use by a process') as string });
  await service.stop();
  const { stdout } = await installation.runTool('--json', 'new-identity');
  const { from, to } = JSON.parse(stdout) as { from: string; to: string };
  expect(from).toBe(service.portico.installation);
  expect((await installation.compose()).portico.installation).toBe(to);
});
