import { createHash } from 'node:crypto';
import { type Cache, type Embedder, embeddingDimension } from '@portico/domain';

/**
 * Creates an embedder that embeds like `embedder` and caches the vectors of queries: a query that this model has
 * embedded before, in any process that shares the cache, needs no request. The key consists of digests of the model and
 * the text. The text is not stored, and a vector from a different model, or from a different version of the model, is
 * never returned.
 */
export const cacheQueries = (embedder: Embedder, cache: Cache): Embedder => ({
  getModelId: () => embedder.getModelId(),
  check: () => embedder.check(),
  async embed(texts, purpose) {
    const [text, ...otherTexts] = texts;
    if (purpose !== 'query' || text === undefined || otherTexts.length > 0) return embedder.embed(texts, purpose);
    const modelId = await embedder.getModelId();
    const cachedVector = vectorOf(await cache.get(keyOf(modelId, text)));
    if (cachedVector) return { modelId, vectors: [cachedVector] };
    const result = await embedder.embed(texts, purpose);
    const [vector] = result.vectors;
    if (vector) await cache.put(keyOf(result.modelId, text), bytesOf(vector));
    return result;
  },
});

const keyOf = (modelId: string, text: string): string => `query ${digestOf(modelId)} ${digestOf(text)}`;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * Returns the vector, or null if the bytes are not a vector. All machines that Portico runs on have the same byte
 * order.
 */
const vectorOf = (bytes: Uint8Array | null): Float32Array | null =>
  bytes?.length === 4 * embeddingDimension ? new Float32Array(Uint8Array.from(bytes).buffer) : null;
