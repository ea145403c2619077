/** A grant of the matrix: a person and an API. */
export interface Pair {
  readonly profile: string;
  readonly collection: string;
}

/** Each of `profiles` with each of `collections`, as the service accepts many grants in one call. */
export interface Batch {
  readonly profiles: readonly string[];
  readonly collections: readonly string[];
}

/** Returns the fewest batches with exactly these pairs: people with the same APIs share a batch. */
export const batchesOf = (pairs: readonly Pair[]): readonly Batch[] => {
  const collectionsOf = new Map<string, Set<string>>();
  for (const { profile, collection } of pairs)
    collectionsOf.set(profile, (collectionsOf.get(profile) ?? new Set()).add(collection));
  const batches = new Map<string, { profiles: string[]; collections: string[] }>();
  for (const [profile, set] of collectionsOf) {
    const collections = [...set].sort();
    const key = collections.join();
    const batch = batches.get(key) ?? { profiles: [], collections };
    batch.profiles.push(profile);
    batches.set(key, batch);
  }
  return [...batches.values()];
};
