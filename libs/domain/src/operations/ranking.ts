import type { FoundOperation, OperationName } from '../documents/operation.ts';
import type { HybridVector } from './operation-vectors.ts';

export interface OperationQuestion {
  readonly vector: HybridVector;
}

export interface OperationResult extends FoundOperation {
  /** 0 to 1, with six decimals. */
  readonly score: number;
}

export const candidatesMax = (limit: number): number => Math.max(200, limit);

export const ranked = (
  _question: OperationQuestion,
  matches: readonly (OperationName & { readonly similarity: number })[],
  found: readonly FoundOperation[],
): readonly OperationResult[] => {
  const byName = new Map(found.map((one) => [`${one.collectionId} ${one.key}`, one]));
  return matches.flatMap(({ collectionId, key, similarity }) => {
    const one = byName.get(`${collectionId} ${key}`);
    return one ? [{ ...one, score: Math.round(Math.min(1, Math.max(0, similarity)) * 1e6) / 1e6 }] : [];
  });
};
