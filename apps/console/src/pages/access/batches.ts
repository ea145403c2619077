/** A grant of the matrix: who has it, and what. */
export interface Pair {
  readonly profile: string;
  readonly collection: string;
}

/** Everyone of `profiles` with everyone of `collections`, as the service takes many grants at once. */
export interface Batch {
  readonly profiles: readonly string[];
  readonly collections: readonly string[];
}

/** The fewest calls that name exactly these pairs: people with the same APIs go together. */
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
