/** A grant in the matrix: a person and an API. */
export interface Pair {
  readonly profile: string;
  readonly collection: string;
}

/** Many grants in the form that the service accepts in one call: each of `profiles` with each of `collections`. */
export interface Batch {
  readonly profiles: readonly string[];
  readonly collections: readonly string[];
}

/** Returns the fewest batches that contain exactly these pairs: people with the same APIs share a batch. */
export const batchesOf = (pairs: readonly Pair[]): readonly Batch[] => {
  const collectionsByProfile = new Map<string, Set<string>>();
  for (const { profile, collection } of pairs)
    collectionsByProfile.set(profile, (collectionsByProfile.get(profile) ?? new Set()).add(collection));
  const batches = new Map<string, { profiles: string[]; collections: string[] }>();
  for (const [profile, collectionSet] of collectionsByProfile) {
    const collections = [...collectionSet].sort();
    const key = collections.join();
    const batch = batches.get(key) ?? { profiles: [], collections };
    batch.profiles.push(profile);
    batches.set(key, batch);
  }
  return [...batches.values()];
};
