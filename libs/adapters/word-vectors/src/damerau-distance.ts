/**
 * Returns the number of letters to insert, delete, replace or swap with a neighbour in order to turn one text into the
 * other (optimal string alignment; Damerau, 1964), or `max` + 1 if the number exceeds `max`.
 */
export const computeDamerauDistance = (a: string, b: string, max: number): number => {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let [rowBeforeLast, lastRow] = [new Uint8Array(b.length + 1), Uint8Array.from({ length: b.length + 1 }, (_, j) => j)];
  let nextRow = new Uint8Array(b.length + 1);
  for (let i = 1; i <= a.length; i += 1) {
    nextRow[0] = i;
    let rowMin = i;
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min((lastRow[j] ?? 0) + 1, (nextRow[j - 1] ?? 0) + 1, (lastRow[j - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwapped) cost = Math.min(cost, (rowBeforeLast[j - 2] ?? 0) + 1);
      nextRow[j] = cost;
      rowMin = Math.min(rowMin, cost);
    }
    if (rowMin > max) return max + 1;
    [rowBeforeLast, lastRow, nextRow] = [lastRow, nextRow, rowBeforeLast];
  }
  return lastRow[b.length] ?? max + 1;
};
