/** Does the work for at most `most` at a time, one lot after the other, and returns all results in their order. */
export const inLots = async <One, Result>(
  all: readonly One[],
  most: number,
  work: (lot: readonly One[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  for (let at = 0; at < all.length; at += most) results.push(...(await work(all.slice(at, at + most))));
  return results;
};
