import { firstCharacters, operationScore, similarityOf, type HybridVector } from '@portico/domain';
import type { ApiDocument, ApiOperation } from './api-document.ts';
import type { JudgedOperations } from './judged-operations.ts';
import type { Progress } from './progress.ts';

/** What of the embedder of operations is evaluated. */
export interface OperationEmbedder {
  modelId(): Promise<string>;
  embedOperations(
    owner: ApiDocument['collection'],
    operations: readonly OperationTexts[],
  ): Promise<readonly HybridVector[]>;
  embedQuestion(text: string): Promise<HybridVector>;
}

type OperationTexts = Omit<ApiOperation, 'description'> & { readonly excerpt: string };

const excerptMax = 200;

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
    vectors.push(...(await embedder.embedOperations(collection, operations.map(textsOf))));
    progress.advance(operations.length);
  }
  progress.end();
  const questions = await Promise.all(tasks.map(({ text }) => embedder.embedQuestion(text)));
  return questions.map((question) => vectors.map((vector) => operationScore(similarityOf(vector, question))));
};

const textsOf = ({ description, ...operation }: ApiOperation): OperationTexts => ({
  ...operation,
  excerpt: firstCharacters(description, excerptMax),
});
