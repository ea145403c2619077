import {
  excerptOf,
  operationScore,
  similarityOf,
  type HybridVector,
  type OperationEmbedder,
  type OperationDescription,
} from '@portico/domain';
import type { ApiOperation } from './api-document.ts';
import type { LabelledOperations } from './labelled-operations.ts';
import type { Progress } from './progress.ts';

/** Returns the score of every operation in the service's operation search, by task. */
export const operationSearchScores = async (
  embedder: OperationEmbedder,
  { documents, tasks }: LabelledOperations,
  progress: Progress,
): Promise<readonly (readonly number[])[]> => {
  const total = documents.reduce((sum, { operations }) => sum + operations.length, 0);
  progress.begin(`Embedding operations with ${await embedder.modelId()}`, total);
  const vectors: HybridVector[] = [];
  for (const { collection, operations } of documents) {
    for await (const embedded of embedder.embedOperations(collection, [operations.map(textsOf)], async () => {})) {
      vectors.push(...embedded.vectors);
    }
    progress.advance(operations.length);
  }
  progress.end();
  const queryVectors = await Promise.all(tasks.map(async ({ text }) => (await embedder.embedQuery(text)).vector));
  return queryVectors.map((question) => vectors.map((vector) => operationScore(similarityOf(vector, question))));
};

const textsOf = ({ description, ...operation }: ApiOperation): OperationDescription => ({
  ...operation,
  excerpt: excerptOf(description),
});
