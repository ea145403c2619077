/** How many queries are remembered, and how much they may take together: a query has up to 2,000 characters. */
const queriesMax = 2_000;
const bytesMax = 8 * 1024 * 1024;

/** Of an entry beside text and vector: roughly what two maps and an object take. */
const entryBytes = 256;

interface Embedded {
  readonly modelId: string;
}

interface Remembered<Result> {
  readonly result: Result;
  readonly bytes: number;
}

/**
 * Returns what embeds a query with the model of this id, or remembers how that embedded it. Equal queries under way
 * share one embedding. A result of another model than the one asked for is used but not remembered, and neither is a
 * failure. What was not asked for the longest is forgotten first. `bytesOf` estimates what a result takes.
 */
export const createRememberedQueries = <Result extends Embedded>(bytesOf: (result: Result) => number) => {
  const kept = new Map<string, Remembered<Result>>();
  const underWay = new Map<string, Promise<Result>>();
  let bytes = 0;

  const forget = (key: string): void => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };

  const remember = (key: string, result: Result): void => {
    const size = entryBytes + 2 * key.length + bytesOf(result);
    kept.set(key, { result, bytes: size });
    bytes += size;
    for (const oldest of kept.keys()) {
      if (kept.size <= queriesMax && bytes <= bytesMax) return;
      forget(oldest);
    }
  };

  const embedOnce = async (modelId: string, key: string, embed: () => Promise<Result>): Promise<Result> => {
    const result = await embed();
    if (result.modelId === modelId) remember(key, result);
    return result;
  };

  return async (modelId: string | null, query: string, embed: () => Promise<Result>): Promise<Result> => {
    if (modelId === null) return embed();
    const key = `${modelId}\n${query}`;
    const known = kept.get(key);
    if (known) {
      kept.delete(key);
      kept.set(key, known);
      return known.result;
    }
    const shared = underWay.get(key) ?? embedOnce(modelId, key, embed).finally(() => underWay.delete(key));
    underWay.set(key, shared);
    return shared;
  };
};
