import { createYielder } from '@portico/dependencies';
import type { HybridVector, OperationEmbedder } from '@portico/domain';
import type { OperationVectors } from './operation-vectors.ts';

export interface ModelDigest {
  /** The id of the model that embeds collections. */
  readonly id: string;
  /** The beginning of the table's SHA-256. */
  readonly digest: string;
}

/**
 * Creates an embedder for operations and for questions about them, which uses the table of words
 * (`tools/embedder/LABORATORY.md`). It yields to the event loop every few milliseconds. The id of its model has the
 * form `portico-operations-1-0123abcd`; the number before the digest increases with each change to the rules and
 * weights that determine the vectors.
 */
export const createWordVectorOperationEmbedder = (
  getDigest: () => Promise<ModelDigest>,
  getVectors: () => Promise<{ readonly operationVectors: OperationVectors }>,
): OperationEmbedder => {
  const getModelId = async () => `portico-operations-1-${(await getDigest()).digest}`;
  return {
    getModelId,
    async *embedOperations(owner, batches, checkpoint) {
      const toVector = (await getVectors()).operationVectors.createVectorizer(owner);
      const yieldToEventLoop = createYielder();
      for await (const operations of batches) {
        const embeddedOperations: HybridVector[] = [];
        for (const operation of operations) {
          embeddedOperations.push(toVector(operation));
          await yieldToEventLoop();
          await checkpoint();
        }
        yield { modelId: await getModelId(), operations, vectors: embeddedOperations };
      }
    },
    embedQuery: async (text) => ({
      modelId: await getModelId(),
      vector: (await getVectors()).operationVectors.createQuestionVector(text),
    }),
  };
};
