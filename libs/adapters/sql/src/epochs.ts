/**
 * The SQL that advances an epoch: by one, or to the present time in milliseconds if that is later. So an epoch used
 * before a backup was restored never returns with another meaning to the cache in Redis or the points in Qdrant, which
 * are kept under it. Its parameters are `nextEpochs()`.
 */
export const grown = (column: string): string => `case when ${column} < ? then ? else ${column} + 1 end`;

export const nextEpochs = (): readonly [number, number] => {
  const now = Date.now();
  return [now, now];
};
