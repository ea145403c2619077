import { randomUUID } from 'node:crypto';
import { createOperationBlockChanges, type OperationIndexSubject, recordLog } from '@portico/contracts';
import type { OperationIndex } from '@portico/domain';
import { startFaultProxy } from '@portico/test-servers';
import { createEmbeddedOperationIndex } from '@portico/vectors';
import { connect } from '../src/connect.ts';
import { prefixOf } from '../src/names.ts';
import { createQdrantOperationIndex } from '../src/qdrant-operation-index.ts';
import { serverLimits, type Server } from './server-limits.ts';

/** Creates an index for its own installation behind a proxy, so that the index's dependencies can be made to fail. */
export const createOperationSubject = async (server: Server, closers: (() => Promise<unknown>)[]) => {
  const { hostname, port } = new URL(server.url);
  const proxy = await startFaultProxy({ host: hostname, port: Number(port || 6333) });
  const installation = randomUUID();
  const blocks = createOperationBlockChanges();
  let [isInterrupted, mayFallBack] = [false, false];
  const interruptibleBlocks = {
    ...blocks,
    listChangedSince: async (...parameters: Parameters<typeof blocks.listChangedSince>) => {
      if (isInterrupted) throw new Error('the store is down');
      return blocks.listChangedSince(...parameters);
    },
  };
  const embeddedIndex = createEmbeddedOperationIndex({ blocks: interruptibleBlocks });
  // This ensures that no result from the fallback is mistaken for one from Qdrant.
  const fallback: OperationIndex = {
    ...embeddedIndex,
    search: async (query) => {
      if (!mayFallBack) throw new Error('Qdrant did not respond');
      return embeddedIndex.search(query);
    },
  };
  const index = createQdrantOperationIndex({
    url: `http://127.0.0.1:${proxy.port}`,
    apiKey: server.apiKey ?? null,
    blocks: interruptibleBlocks,
    fallback,
    log: recordLog(),
    installation,
    limits: serverLimits,
  });
  closers.push(
    () => proxy.close(),
    () => removeCollections(server, prefixOf(installation)),
    () => index.close(),
  );
  const setInterrupted = (value: boolean) => () => {
    isInterrupted = value;
    mayFallBack = true;
    const proxyChange = proxy.set(value ? 'reset' : 'pass');
    closers.push(() => proxyChange);
  };
  return {
    index,
    blocks,
    interrupt: setInterrupted(true),
    resume: setInterrupted(false),
  } satisfies OperationIndexSubject;
};

/** Removes the collections with this prefix from Qdrant. */
export const removeCollections = async ({ url, apiKey }: Server, prefix: string): Promise<void> => {
  const client = connect(url, apiKey ?? null, serverLimits.bulkMs);
  const { collections } = await client.getCollections();
  for (const { name } of collections) if (name.startsWith(prefix)) await client.deleteCollection(name);
};
