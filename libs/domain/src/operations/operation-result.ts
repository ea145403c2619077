import type { FoundOperation, OperationName } from '../documents/operation.ts';
import { operationScore, operationScoreMin } from './score-curve.ts';

export interface OperationMatch extends OperationName {
  /** See `similarityOf`. */
  readonly similarity: number;
}

export interface OperationResult extends FoundOperation {
  /** How sure it is, 0 to 1, with six decimals (see `operationScore`). */
  readonly score: number;
}

/**
 * The matches that are worth showing, best first: those that still exist and score at least `operationScoreMin`. Of
 * equals those that are not deprecated come first, then by name, path and method.
 */
export const operationResults = (
  matches: readonly OperationMatch[],
  found: readonly FoundOperation[],
): readonly OperationResult[] => {
  const operations = new Map(found.map((operation) => [nameOf(operation), operation]));
  return matches
    .flatMap((match) => {
      const operation = operations.get(nameOf(match));
      return operation ? [{ ...operation, score: rounded(operationScore(match.similarity)) }] : [];
    })
    .filter(({ score }) => score >= operationScoreMin)
    .sort(
      (a, b) =>
        b.score - a.score ||
        Number(a.deprecated) - Number(b.deprecated) ||
        compareText(a.collectionName, b.collectionName) ||
        compareText(a.path, b.path) ||
        compareText(a.method, b.method) ||
        compareText(a.collectionId, b.collectionId),
    );
};

const nameOf = ({ collectionId, key }: OperationName): string => `${collectionId} ${key}`;

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
