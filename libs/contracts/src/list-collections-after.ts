import type { CollectionId } from '@portico/domain';

interface ModelRow {
  readonly collectionId: CollectionId;
  readonly modelId: string;
}

/** Implements `listCollectionsAfter` of `EmbeddingStore` and `OperationBlockStore` for a store with these rows. */
export const listCollectionsAfter = (
  rows: Iterable<ModelRow>,
  after: CollectionId | null,
  modelId: string,
  limit: number,
): readonly CollectionId[] =>
  [...rows]
    .filter((row) => row.modelId === modelId && (after === null || row.collectionId > after))
    .map(({ collectionId }) => collectionId)
    .sort()
    .slice(0, limit);
