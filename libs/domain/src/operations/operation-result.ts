import type { CollectionId } from '../ids.ts';
import type { OperationWithCollection, OperationReference } from '../documents/operation.ts';
import { toOperationScore, operationScoreMin } from './score-curve.ts';

export interface OperationMatch extends OperationReference {
  /** See `similarityOf`. */
  readonly similarity: number;
}

export interface OperationResult extends OperationWithCollection {
  /** The confidence, 0 to 1, with six decimals (see `toOperationScore`). */
  readonly score: number;
}

/**
 * Returns the matches that are worth showing, best first: those that still exist and score at least
 * `operationScoreMin`. An operation of a deprecated collection is deprecated. Among equal scores, operations that are
 * not deprecated come first; then they are sorted by name, path and method.
 */
export const toOperationResults = (
  matches: readonly OperationMatch[],
  storedOperations: readonly OperationWithCollection[],
  deprecatedIds: ReadonlySet<CollectionId> = new Set(),
): readonly OperationResult[] => {
  const operations = new Map(storedOperations.map((operation) => [nameOf(operation), operation]));
  return matches
    .flatMap((match) => {
      const operation = operations.get(nameOf(match));
      if (!operation) return [];
      const deprecated = operation.deprecated || deprecatedIds.has(operation.collectionId);
      return [{ ...operation, deprecated, score: roundScore(toOperationScore(match.similarity)) }];
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

const nameOf = ({ collectionId, key }: OperationReference): string => `${collectionId} ${key}`;

const roundScore = (score: number): number => Math.round(score * 1e6) / 1e6;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
