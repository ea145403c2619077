import {
  excerptOf,
  operationScore,
  similarityOf,
  type HybridVector,
  type OperationEmbedder,
  type OperationTexts,
} from '@portico/domain';
import type { ApiOperation } from './api-document.ts';
import type { JudgedOperations } from './judged-operations.ts';
import type { Progress } from './progress.ts';

/** The score of every operation as the search of operations has it, by task. */
export const operationSearchScores = async (
  embedder: OperationEmbedder,
  { documents, tasks }: JudgedOperations,
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
  const questions = await Promise.all(tasks.map(async ({ text }) => (await embedder.embedQuestion(text)).vector));
  return questions.map((question) => vectors.map((vector) => operationScore(similarityOf(vector, question))));
};

const textsOf = ({ description, ...operation }: ApiOperation): OperationTexts => ({
  ...operation,
  excerpt: excerptOf(description),
});
