export {
  createQdrantVectorIndex,
  type QdrantVectorIndex,
  type QdrantVectorIndexOptions,
} from './qdrant-vector-index.ts';
