import type { Collection, CollectionId, Principal, UseCases } from '@portico/domain';

/** An operation that fits a query. `score` says how likely it is the right one, from 0 to 1. */
export interface FoundOperation {
  readonly collectionId: CollectionId;
  readonly collectionName: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string | null;
  readonly summary: string | null;
  readonly deprecated: boolean;
  readonly score: number;
}

/** What the tools about operations need of the menu. */
export interface OperationUseCases {
  readonly searchOperations: (
    principal: Principal,
    query: {
      readonly query: string;
      readonly limit: number;
      readonly collectionId: CollectionId | null;
      readonly method: string | null;
    },
  ) => Promise<{ readonly results: readonly FoundOperation[]; readonly isFallback: boolean }>;
  readonly describeOperation: (
    principal: Principal<Collection>,
    key: string,
    options: {
      readonly form: 'slice' | 'tool' | 'openapi';
      readonly detail: 'request' | 'full';
      readonly maxBytes: number;
    },
  ) => Promise<{ readonly text: Uint8Array }>;
}

/** Null while this service does not know the operations of its documents. */
export const operationsOf = (useCases: UseCases): OperationUseCases | null => {
  const menu = useCases as unknown as Partial<OperationUseCases>;
  const { searchOperations, describeOperation } = menu;
  return searchOperations && describeOperation ? { searchOperations, describeOperation } : null;
};
