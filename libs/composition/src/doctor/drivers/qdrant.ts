export { inspectQdrant } from '@portico/qdrant';
