import { join } from 'node:path';
import { createLogger } from '@portico/composition';
import { startPostgres, startQdrant, startFakeQdrant, startRedis } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import { startComposed, type ComposedService } from './composed-service.ts';
import { addCollection } from './clients.ts';
import { eventually } from './faults/traffic.ts';
import type { Installation } from './installation.ts';
import { openInstallation } from './provide-installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
const fake = await startFakeQdrant();
const real = await startQdrant();
afterAll(async () => {
  for (const server of [postgres, redis, fake]) await server?.close();
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
  return { installation, words: new Map(), admin: await installation.admin(), service };
};

const documentOf = (word: string) => ({
  openapi: '3.0.3',
  info: { title: word, version: '1' },
  paths: { [`/${word}`]: { get: { summary: `Read the ${word}`, responses: {} } } },
});

/** Makes 100 changes: creates 60 collections, changes the description of 20, and deletes 20. */
const change = async ({ installation: { api }, admin, words }: Side, side: string): Promise<void> => {
  const ids: string[] = [];
  for (let number = 0; number < 60; number += 1) {
    const word = `${side}${number}`;
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
  const all = [...words.keys()].sort();
  for (const path of ['/api/vector/search', '/api/operations/search']) {
    const search = async () => {
      const response = await api.call(admin, 'POST', path, { query: 'read about it', k_limit: 100 });
      expect((response.body as Match[]).map(({ collection_id }) => collection_id).sort(), path).toEqual(all);
      return response;
    };
    await eventually(search, ({ headers }) => !headers.has('x-search-mode'));
  }
};

/** Waits until everything is embedded, so that search results are complete. */
const waitUntilEmbedded = async ({ installation: { api }, admin, words, service }: Side): Promise<void> => {
  const { embeddings, embedder } = service.portico.ports;
  const isComplete = (count: number) => count === words.size;
  await eventually(async () => embeddings.embedded(await embedder.modelId()), isComplete);
  await eventually(
    () => api.request<{ operations: { done: number } }>(admin, 'GET', '/api/vector/reindex'),
    ({ operations }) => isComplete(operations.done),
  );
};

const servers = [
  ['a fake Qdrant', fake],
  ['a real Qdrant', real],
] as const;

describe.each(servers)('two installations on one Redis and %s', (_name, qdrant) => {
  test.skipIf(!postgres || !redis || !qdrant)('do not affect each other, however often they restart', async () => {
    const shared = {
      REDIS_URL: redis?.url ?? '',
      QDRANT_URL: qdrant?.url ?? '',
      ...(real && qdrant === real ? { QDRANT_API_KEY: real.apiKey ?? '' } : {}),
      RATE_LIMIT_ANONYMOUS: '5/3600',
    };
    const one = await openSide(shared);
    const other = await openSide({ ...shared, DATABASE_URL: (await postgres?.newDatabase()) ?? '' });
    await Promise.all([change(one, 'apple'), change(other, 'pear')]);
    for (const side of [one, other]) {
      await waitUntilEmbedded(side);
      await expectCompleteResults(side);
    }
    for (const restarted of [[one], [other], [other, one], [one, other]]) {
      for (const { service } of restarted) await service.stop();
      for (const side of restarted) {
        side.service = await side.installation.compose();
        await expectCompleteResults(side);
      }
      for (const side of [one, other]) await expectCompleteResults(side);
    }

    const statusOf = async ({ installation: { api } }: Side) =>
      (await api.call(null, 'GET', '/api/collections/')).status;
    const statuses = async (side: Side) => Promise.all(Array.from({ length: 6 }, () => statusOf(side)));
    for (const side of [one, other]) expect((await statuses(side)).sort()).toEqual([401, 401, 401, 401, 401, 429]);
  });
});

const checkOf = async ({ tool }: Installation, id: string) => {
  const { stdout } = await tool('--json', 'doctor');
  const { checks } = JSON.parse(stdout) as {
    checks: (Record<'said', string> & { id: string; state: string; advice: string })[];
  };
  return checks.find((check) => check.id === id);
};

describe.each([
  ['Redis', () => ({ REDIS_URL: redis?.url ?? '' })],
  ['Qdrant', () => ({ QDRANT_URL: fake.url })],
] as const)('a copy of a database on the same %s', (server, variables) => {
  const id = `${server.toLowerCase()}.installations`;

  test.skipIf(!redis)('is reported by both while both run, until the copy has a new id', async () => {
    const original = await openInstallation(variables());
    const copy = await openInstallation(variables());
    const archive = join(copy.folder, 'backup.tar');
    const first = await original.compose();
    await first.portico.presence?.announce();
    expect((await original.tool('backup', archive)).code).toBe(0);
    expect((await copy.tool('restore', archive)).code).toBe(0);

    const replica = await original.composeReplica();
    await replica.portico.presence?.announce();
    expect(await checkOf(original, id)).toMatchObject({ state: 'ok' });

    const log: string[] = [];
    const logger = createLogger('info', 'copy', { write: (line) => void log.push(line) });
    const copyVariables = { DATA_DIR: copy.folder, PORT: '0', NODE_ENV: 'development', ...variables() };
    const second = await startComposed(copyVariables, undefined, logger);
    await first.portico.presence?.announce();
    await second.portico.presence?.announce();
    await eventually(
      () => log,
      (lines) => lines.some((line) => line.includes('one is a copy of the other')),
    );
    for (const side of [original, copy]) {
      const check = await checkOf(side, id);
      expect(check).toMatchObject({ state: 'wrong', said: expect.stringContaining('is a copy') as string });
      expect(check?.advice).toContain('portico new-identity');
    }

    expect(await copy.tool('new-identity')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('stop') as string,
    });
    await second.stop();
    expect(await copy.tool('new-identity')).toMatchObject({ code: 0 });
    const third = await copy.compose();
    await third.portico.presence?.announce();
    expect(third.portico.installation).not.toBe(first.portico.installation);
    for (const side of [original, copy])
      expect(await checkOf(side, id)).toMatchObject({
        state: 'ok',
        said: expect.stringContaining('other names') as string,
      });
  });
});

test.skipIf(!postgres || !redis)('a database on PostgreSQL gets a new id only while no process uses it', async () => {
  const variables = { DATABASE_URL: (await postgres?.newDatabase()) ?? '', REDIS_URL: redis?.url ?? '' };
  const installation = await openInstallation(variables);
  const service = await installation.compose();
  const rejection = await installation.tool('new-identity');
  expect(rejection).toMatchObject({ code: 1, stderr: expect.stringContaining('a process uses it') as string });
  await service.stop();
  const { stdout } = await installation.tool('--json', 'new-identity');
  const { from, to } = JSON.parse(stdout) as { from: string; to: string };
  expect(from).toBe(service.portico.installation);
  expect((await installation.compose()).portico.installation).toBe(to);
});
