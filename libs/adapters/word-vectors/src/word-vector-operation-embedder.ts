import { createYielder } from '@portico/dependencies';
import type { HybridVector, OperationEmbedder } from '@portico/domain';
import type { OperationVectors } from './operation-vectors.ts';

export interface ModelDigest {
  /** Of the model that embeds collections. */
  readonly id: string;
  /** The beginning of the table's SHA-256. */
  readonly digest: string;
}

/**
 * Embeds operations and questions for them with the table of words (`tools/embedder/LABORATORY.md`). It lets others have
 * their turn every few milliseconds. The id of its model has the form `portico-operations-1-0123abcd`; the number before
 * the digest grows with each change of the rules and weights that vectors are made by.
 */
export const createWordVectorOperationEmbedder = (
  digest: () => Promise<ModelDigest>,
  vectors: () => Promise<{ readonly operationVectors: OperationVectors }>,
): OperationEmbedder => {
  const modelId = async () => `portico-operations-1-${(await digest()).digest}`;
  return {
    modelId,
    async *embedOperations(owner, portions, checkpoint) {
      const toVector = (await vectors()).operationVectors.ofOwner(owner);
      const yieldToEventLoop = createYielder();
      for await (const operations of portions) {
        const embedded: HybridVector[] = [];
        for (const operation of operations) {
          embedded.push(toVector(operation));
          await yieldToEventLoop();
          await checkpoint();
        }
        yield { modelId: await modelId(), operations, vectors: embedded };
      }
    },
    embedQuestion: async (text) => ({
      modelId: await modelId(),
      vector: (await vectors()).operationVectors.ofQuestion(text),
    }),
  };
};
