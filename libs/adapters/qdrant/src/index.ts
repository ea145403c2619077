export {
  createQdrantOperationIndex,
  type QdrantOperationIndex,
  type QdrantOperationIndexOptions,
} from './qdrant-operation-index.ts';
export { inspectQdrant, type InspectedQdrant } from './inspect-qdrant.ts';
export { createQdrantRoster } from './qdrant-roster.ts';
export { QdrantFailure } from './qdrant-failure.ts';
export {
  createQdrantVectorIndex,
  type QdrantVectorIndex,
  type QdrantVectorIndexOptions,
} from './qdrant-vector-index.ts';
