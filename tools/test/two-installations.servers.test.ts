import { startPostgres, startQdrant, startQdrantStandIn, startRedis } from '@portico/test-servers';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Credential } from '../src/api-client.ts';
import type { ComposedService } from './composed-service.ts';
import { eventually } from './faults/traffic.ts';
import { createInstallation, type Installation } from './installation.ts';

const postgres = await startPostgres();
const redis = await startRedis();
const standIn = await startQdrantStandIn();
const real = await startQdrant();
afterAll(async () => {
  for (const server of [postgres, redis, standIn]) await server?.close();
});

/** An installation, its admin, and what it must find: the words of its collections by id. */
interface Side {
  readonly installation: Installation;
  readonly words: Map<string, string>;
  admin: Credential;
  service: ComposedService;
}

const opened: Installation[] = [];
afterEach(async () => {
  for (const installation of opened.splice(0)) await installation.remove();
});

const openSide = async (variables: Record<string, string>): Promise<Side> => {
  const installation = await createInstallation({ RATE_LIMIT_DEFAULT: '1000000/60', ...variables });
  opened.push(installation);
  const service = await installation.compose();
  return { installation, words: new Map(), admin: await installation.admin(), service };
};

const documentOf = (word: string) => ({
  openapi: '3.0.3',
  info: { title: word, version: '1' },
  paths: { [`/${word}`]: { get: { summary: `Read the ${word}`, responses: {} } } },
});

/** A hundred changes: sixty collections are created, twenty of them described anew, and twenty deleted. */
const change = async ({ installation: { api }, admin, words }: Side, side: string): Promise<void> => {
  const ids: string[] = [];
  for (let number = 0; number < 60; number += 1) {
    const word = `${side}${number}`;
    const body = { name: word, description: `About ${word}`, openapi_spec: documentOf(word) };
    const { id } = await api.ask<{ id: string }>(admin, 'POST', '/api/collections/', body);
    ids.push(id);
    words.set(id, word);
  }
  for (const id of ids.slice(0, 20))
    await api.ask(admin, 'PUT', `/api/collections/${id}`, { description: `All about ${words.get(id)}` });
  for (const id of ids.slice(20, 40)) {
    await api.ask(admin, 'DELETE', `/api/collections/${id}`);
    words.delete(id);
  }
};

interface Found {
  readonly collection_id: string;
}

/** Expects that each answer has all that the installation has, and nothing else, until Qdrant gives it. */
const expectRight = async ({ installation: { api }, admin, words }: Side): Promise<void> => {
  const all = [...words.keys()].sort();
  for (const path of ['/api/vector/search', '/api/operations/search']) {
    const search = async () => {
      const answer = await api.call(admin, 'POST', path, { query: 'read about it', k_limit: 100 });
      expect((answer.body as Found[]).map(({ collection_id }) => collection_id).sort(), path).toEqual(all);
      return answer;
    };
    await eventually(search, ({ headers }) => !headers.has('x-search-mode'));
  }
};

/** Everything is embedded, so that a search has no reason to lack anything. */
const untilEmbedded = async ({ installation: { api }, admin, words, service }: Side): Promise<void> => {
  const { embeddings, embedder } = service.portico.ports;
  const isAll = (count: number) => count === words.size;
  await eventually(async () => embeddings.embedded(await embedder.modelId()), isAll);
  await eventually(
    () => api.ask<{ operations: { done: number } }>(admin, 'GET', '/api/vector/reindex'),
    ({ operations }) => isAll(operations.done),
  );
};

const servers = [
  ['the stand-in of Qdrant', standIn],
  ['a real Qdrant', real],
] as const;

describe.each(servers)('two installations on one Redis and %s', (_name, qdrant) => {
  test.skipIf(!postgres || !redis || !qdrant)('do not touch each other, however often they are restarted', async () => {
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
      await untilEmbedded(side);
      await expectRight(side);
    }
    for (const restarted of [[one], [other], [other, one], [one, other]]) {
      for (const { service } of restarted) await service.stop();
      for (const side of restarted) {
        side.service = await side.installation.compose();
        await expectRight(side);
      }
      for (const side of [one, other]) await expectRight(side);
    }

    const asked = async ({ installation: { api } }: Side) => (await api.call(null, 'GET', '/api/collections/')).status;
    const statuses = async (side: Side) => Promise.all(Array.from({ length: 6 }, () => asked(side)));
    for (const side of [one, other]) expect((await statuses(side)).sort()).toEqual([401, 401, 401, 401, 401, 429]);
  });
});
