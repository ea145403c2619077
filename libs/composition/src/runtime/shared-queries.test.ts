import { join } from 'node:path';
import { authorityOf } from '@portico/domain';
import { startFakeOllama, startPostgres, startRedis, createTemporaryFolder } from '@portico/test-servers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { localAdmin, readConfig } from '../config.ts';
import { compose, type Composition } from '../wiring/compose.ts';
import { createLogger } from './logging.ts';

const [postgres, redis] = [await startPostgres(), await startRedis()];
afterAll(async () => {
  await postgres?.close();
  await redis?.close();
});

const createCollection = async ({ useCases, documents, ports }: Composition) => {
  const admin = await ports.profiles.findByEmail(localAdmin.email);
  if (!admin) throw new Error('There is no admin');
  const spec = { openapi: '3.0.3', info: { title: 'Roads', version: '1' }, paths: {} };
  const document = await documents.readFile(Buffer.from(JSON.stringify(spec)));
  const fields = { name: 'Roads', description: 'Roads', authentication: null, document, strict: false };
  await useCases.createCollection(authorityOf({ profile: admin, deadline: null }), admin.id, fields);
};

const search = async ({ useCases, localIssuer }: Composition, query: string) => {
  const token = (await localIssuer?.mint({ ...localAdmin, ttlSeconds: 60 })) ?? '';
  const credential = { kind: 'token', token } as const;
  const request = { credential, auth: 'token', target: null, sender: { address: '::1' }, deadline: null } as const;
  return useCases.searchCollections((await useCases.admit(request)).principal, query, 10);
};

test.skipIf(!postgres || !redis)(
  'fake Ollama: a query that one replica has embedded needs no request from the others',
  async () => {
    const fake = await startFakeOllama();
    onTestFinished(() => fake.close());
    const folder = createTemporaryFolder(onTestFinished);
    const open = async (name: string) => {
      const config = readConfig({
        DATA_DIR: join(folder, name),
        DATABASE_URL: postgres?.url ?? '',
        REDIS_URL: redis?.url ?? '',
        SECRETS_KEY: Buffer.alloc(32, 5).toString('base64'),
        OLLAMA_URL: fake.url,
        OLLAMA_PULL: 'false',
      });
      const portico = await compose(config, createLogger('silent', 'test'), 'http');
      onTestFinished(() => portico.close());
      return portico;
    };
    const listQueries = () =>
      fake.requestsTo('/api/embed').filter(({ input }) => String(input).includes('search_query: '));

    const firstReplica = await open('first');
    await createCollection(firstReplica);
    await search(firstReplica, 'roads of Rome');
    expect(listQueries()).toHaveLength(1);

    const secondReplica = await open('second');
    await search(secondReplica, 'roads of Rome');
    expect(listQueries()).toHaveLength(1);
    await search(secondReplica, 'rivers of Rome');
    expect(listQueries()).toHaveLength(2);

    await redis?.control?.stop();
    await search(secondReplica, 'lakes of Rome');
    expect(listQueries()).toHaveLength(3);
  },
);
