import {
  excerptOf,
  toOperationScore,
  similarityOf,
  type HybridVector,
  type OperationEmbedder,
  type OperationDescription,
} from '@portico/domain';
import type { ApiOperation } from './api-document.ts';
import type { LabelledOperations } from './labelled-operations.ts';
import type { Progress } from './progress.ts';

/** Returns the score of every operation in the service's operation search, by task. */
export const scoreOperations = async (
  embedder: OperationEmbedder,
  { documents, tasks }: LabelledOperations,
  progress: Progress,
): Promise<readonly (readonly number[])[]> => {
  const total = documents.reduce((sum, { operations }) => sum + operations.length, 0);
  progress.begin(`Embedding operations with ${await embedder.getModelId()}`, total);
  const vectors: HybridVector[] = [];
  for (const { collection, operations } of documents) {
    for await (const batch of embedder.embedOperations(collection, [operations.map(descriptionOf)], async () => {})) {
      vectors.push(...batch.vectors);
    }
    progress.advance(operations.length);
  }
  progress.end();
  const queryVectors = await Promise.all(tasks.map(async ({ text }) => (await embedder.embedQuery(text)).vector));
  return queryVectors.map((queryVector) =>
    vectors.map((vector) => toOperationScore(similarityOf(vector, queryVector))),
  );
};

const descriptionOf = ({ description, ...operation }: ApiOperation): OperationDescription => ({
  ...operation,
  excerpt: excerptOf(description),
});
