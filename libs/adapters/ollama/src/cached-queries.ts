import { createHash } from 'node:crypto';
import { type Cache, type Embedder, embeddingDimension } from '@portico/domain';

/**
 * Embeds as `embedder` does, and keeps the vectors of queries: a query that was embedded by this model before, in any
 * process that shares the cache, costs no request. Digests of model and text are the key: the text is not kept, and the
 * vectors of another model, or of another version of it, are never found.
 */
export const cachedQueries = (embedder: Embedder, cache: Cache): Embedder => ({
  modelId: () => embedder.modelId(),
  check: () => embedder.check(),
  async embed(texts, purpose) {
    const [text, ...others] = texts;
    if (purpose !== 'query' || text === undefined || others.length > 0) return embedder.embed(texts, purpose);
    const modelId = await embedder.modelId();
    const kept = vectorOf(await cache.get(keyOf(modelId, text)));
    if (kept) return { modelId, vectors: [kept] };
    const embedded = await embedder.embed(texts, purpose);
    const [vector] = embedded.vectors;
    if (vector) await cache.put(keyOf(embedded.modelId, text), bytesOf(vector));
    return embedded;
  },
});

const keyOf = (modelId: string, text: string): string => `query ${digestOf(modelId)} ${digestOf(text)}`;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Null unless it is a vector, on a machine of this byte order as on all that Portico runs on. */
const vectorOf = (bytes: Uint8Array | null): Float32Array | null =>
  bytes?.length === 4 * embeddingDimension ? new Float32Array(Uint8Array.from(bytes).buffer) : null;
