/**
 * The SQL by which an epoch grows: by one, or to the present time in milliseconds where that is more. So an epoch of before
 * the restore of a backup never comes again, with another meaning, to whoever has kept something under it: the cache in
 * Redis, the points in Qdrant. Its parameters are `nextEpochs()`.
 */
export const grown = (column: string): string => `case when ${column} < ? then ? else ${column} + 1 end`;

export const nextEpochs = (): readonly [number, number] => {
  const now = Date.now();
  return [now, now];
};
