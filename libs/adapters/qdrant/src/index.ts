export {
  createQdrantOperationIndex,
  type QdrantOperationIndex,
  type QdrantOperationIndexOptions,
} from './qdrant-operation-index.ts';
export {
  createQdrantVectorIndex,
  type QdrantVectorIndex,
  type QdrantVectorIndexOptions,
} from './qdrant-vector-index.ts';
