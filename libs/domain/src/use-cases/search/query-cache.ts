/** The maximum number of cached queries, and their maximum total size: a query is up to 2,000 characters long. */
const queriesMax = 2_000;
const bytesMax = 8 * 1024 * 1024;

/** The overhead of an entry in addition to its text and vector: approximately that of two maps and an object. */
const entryBytes = 256;

interface EmbeddingResult {
  readonly modelId: string;
}

interface CacheEntry<Result> {
  readonly result: Result;
  readonly bytes: number;
}

/**
 * Creates a function that embeds a query with the model that has this id, or returns the cached result. Equal
 * concurrent queries share one embedding. A result from a model other than the requested one is used but not cached,
 * and failures are not cached either. The least recently used entry is evicted first. `bytesOf` estimates the size of a
 * result.
 */
export const createQueryCache = <Result extends EmbeddingResult>(bytesOf: (result: Result) => number) => {
  const entries = new Map<string, CacheEntry<Result>>();
  const inFlight = new Map<string, Promise<Result>>();
  let bytes = 0;

  const evict = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };

  const store = (key: string, result: Result): void => {
    const size = entryBytes + 2 * key.length + bytesOf(result);
    entries.set(key, { result, bytes: size });
    bytes += size;
    for (const oldestKey of entries.keys()) {
      if (entries.size <= queriesMax && bytes <= bytesMax) return;
      evict(oldestKey);
    }
  };

  const embedOnce = async (modelId: string, key: string, embed: () => Promise<Result>): Promise<Result> => {
    const result = await embed();
    if (result.modelId === modelId) store(key, result);
    return result;
  };

  return async (modelId: string | null, query: string, embed: () => Promise<Result>): Promise<Result> => {
    if (modelId === null) return embed();
    const key = `${modelId}\n${query}`;
    const entry = entries.get(key);
    if (entry) {
      entries.delete(key);
      entries.set(key, entry);
      return entry.result;
    }
    const pendingResult = inFlight.get(key) ?? embedOnce(modelId, key, embed).finally(() => inFlight.delete(key));
    inFlight.set(key, pendingResult);
    return pendingResult;
  };
};
