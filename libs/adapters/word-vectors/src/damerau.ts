/**
 * Returns the number of letters to insert, delete, replace or swap with a neighbour in order to turn one text into the
 * other (optimal string alignment; Damerau, 1964), or `max` + 1 if the number exceeds `max`.
 */
export const damerau = (one: string, other: string, max: number): number => {
  if (Math.abs(one.length - other.length) > max) return max + 1;
  let [before, last] = [new Uint8Array(other.length + 1), Uint8Array.from({ length: other.length + 1 }, (_, j) => j)];
  let next = new Uint8Array(other.length + 1);
  for (let i = 1; i <= one.length; i += 1) {
    next[0] = i;
    let lowest = i;
    for (let j = 1; j <= other.length; j += 1) {
      const same = one.charCodeAt(i - 1) === other.charCodeAt(j - 1);
      let cost = Math.min((last[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      const isSwapped =
        i > 1 &&
        j > 1 &&
        one.charCodeAt(i - 1) === other.charCodeAt(j - 2) &&
        one.charCodeAt(i - 2) === other.charCodeAt(j - 1);
      if (isSwapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next[j] = cost;
      lowest = Math.min(lowest, cost);
    }
    if (lowest > max) return max + 1;
    [before, last, next] = [last, next, before];
  }
  return last[other.length] ?? max + 1;
};
