import type { CollectionId } from '@portico/domain';

interface OfModel {
  readonly collectionId: CollectionId;
  readonly modelId: string;
}

/** `collectionsAfter` of a store that has these rows, as `EmbeddingStore` and `OperationBlockStore` promise it. */
export const collectionsAfter = (
  rows: Iterable<OfModel>,
  after: CollectionId | null,
  modelId: string,
  limit: number,
): readonly CollectionId[] =>
  [...rows]
    .filter((row) => row.modelId === modelId && (after === null || row.collectionId > after))
    .map(({ collectionId }) => collectionId)
    .sort()
    .slice(0, limit);
