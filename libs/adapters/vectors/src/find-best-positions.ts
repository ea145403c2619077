/**
 * Returns the positions of the `limit` best scores, best first, and those of all scores that equal the last of them.
 * Equal scores are ordered by position. Scores of -Infinity are ignored.
 */
export const findBestPositions = (scores: Float32Array, limit: number): readonly number[] => {
  const threshold = thresholdOf(scores, limit);
  const positions: number[] = [];
  for (let i = 0; i < scores.length; i += 1) {
    const score = scoreAt(scores, i);
    if (score >= threshold && score > -Infinity) positions.push(i);
  }
  return positions.sort((x, y) => {
    const difference = scoreAt(scores, y) - scoreAt(scores, x);
    return difference === 0 ? x - y : Math.sign(difference);
  });
};

const scoreAt = (scores: Float32Array, position: number): number => scores[position] ?? 0;

/**
 * Returns the score at rank `limit`, or -Infinity if there are fewer scores: the root of a min-heap of the best ones.
 */
const thresholdOf = (scores: Float32Array, limit: number): number => {
  const heap = new Float32Array(Math.min(limit, scores.length)).fill(-Infinity);
  let root = -Infinity;
  for (let i = 0; i < scores.length; i += 1) {
    const score = scoreAt(scores, i);
    if (score > root) {
      replaceRoot(heap, score);
      root = scoreAt(heap, 0);
    }
  }
  return root;
};

const replaceRoot = (heap: Float32Array, score: number): void => {
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const child = left + 1 < heap.length && scoreAt(heap, left + 1) < scoreAt(heap, left) ? left + 1 : left;
    if (child >= heap.length || scoreAt(heap, child) >= score) {
      heap[parent] = score;
      return;
    }
    heap[parent] = scoreAt(heap, child);
    parent = child;
  }
};
