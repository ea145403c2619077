import { randomUUID } from 'node:crypto';
import { createEmbeddingChanges, recordLog, vectorIndexContract, type VectorIndexSubject } from '@portico/contracts';
import { startFaultProxy, connectToQdrant, startFakeQdrant } from '@portico/test-servers';
import { createEmbeddedVectorIndex } from '@portico/vectors';
import { afterAll, afterEach, describe, test } from 'vitest';
import { serverLimits, type Server } from '../test/server-limits.ts';
import { connect } from './connect.ts';
import { prefixOf } from './names.ts';
import { createQdrantVectorIndex } from './qdrant-vector-index.ts';

const fake = await startFakeQdrant();
const realServer = await connectToQdrant();
afterAll(() => fake.close());

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Creates an index for its own installation behind a proxy, so that the index's dependencies can be made to fail. */
const createSubject = async (server: Server) => {
  const { hostname, port } = new URL(server.url);
  const proxy = await startFaultProxy({ host: hostname, port: Number(port || 6333) });
  const installation = randomUUID();
  const changes = createEmbeddingChanges();
  let isInterrupted = false;
  const embeddings = {
    ...changes,
    listChangedSince: async (...parameters: Parameters<typeof changes.listChangedSince>) => {
      if (isInterrupted) throw new Error('the store is down');
      return changes.listChangedSince(...parameters);
    },
  };
  const index = createQdrantVectorIndex({
    url: `http://127.0.0.1:${proxy.port}`,
    apiKey: server.apiKey ?? null,
    embeddings,
    fallback: createEmbeddedVectorIndex({ embeddings }),
    log: recordLog(),
    installation,
    limits: serverLimits,
  });
  closers.push(
    () => proxy.close(),
    () => removeCollections(server.url, server.apiKey ?? null, prefixOf(installation)),
    () => index.close(),
  );
  const setInterrupted = (value: boolean) => () => {
    isInterrupted = value;
    const proxyChange = proxy.set(value ? 'reset' : 'pass');
    closers.push(() => proxyChange);
  };
  return {
    index,
    embeddings,
    interrupt: setInterrupted(true),
    resume: setInterrupted(false),
  } satisfies VectorIndexSubject;
};

const removeCollections = async (url: string, apiKey: string | null, prefix: string): Promise<void> => {
  const client = connect(url, apiKey, serverLimits.bulkMs);
  const { collections } = await client.getCollections();
  for (const { name } of collections) if (name.startsWith(prefix)) await client.deleteCollection(name);
};

const runContract = (server: Server) => {
  for (const [sentence, check] of Object.entries(vectorIndexContract)) {
    test(sentence, async () => check(await createSubject(server)));
  }
};

describe('fake Qdrant: the contract of a vector index', () => runContract(fake));

describe.skipIf(!realServer)('Qdrant: the contract of a vector index', () => runContract(realServer ?? fake));
