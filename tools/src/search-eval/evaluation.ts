import type { Board } from './board.ts';
import type { CollectionsEvaluation } from './collections-evaluation.ts';
import type { OperationsEvaluation } from './operations-evaluation.ts';

export interface Evaluation {
  /** The evaluations; each is null if it was not requested. */
  readonly collections: CollectionsEvaluation | null;
  readonly operations: OperationsEvaluation | null;
}

export const boardsOf = ({ collections, operations }: Evaluation): readonly Board[] => [
  ...(collections ? [collections.board] : []),
  ...(operations ? operations.boards : []),
];
