import { unpackOperations, type OperationBlockStore, type OperationIndex, type OperationMatch } from '@portico/domain';

export const createEmbeddedOperationIndex = ({
  blocks,
}: {
  readonly blocks: Pick<OperationBlockStore, 'changedSince'>;
}): OperationIndex => ({
  kind: 'embedded',
  async search({ modelId, vector, among, method, limit }) {
    const all = await blocks.changedSince(0, modelId, 10_000);
    const matches: OperationMatch[] = [];
    for (const { collectionId, packed } of all) {
      if (!among.includes(collectionId)) continue;
      const { count, dimension, dense, scales, keys, methods, features, starts, rows, weights } =
        unpackOperations(packed);
      const scores = new Float64Array(count);
      for (let row = 0; row < count; row++) {
        let sum = 0;
        for (let i = 0; i < dimension; i++) sum += (dense[row * dimension + i] ?? 0) * (vector.dense[i] ?? 0);
        scores[row] = sum * (scales[row] ?? 0);
      }
      vector.sparse.indices.forEach((index, i) => {
        const at = features.indexOf(index);
        if (at < 0) return;
        for (let entry = starts[at] ?? 0; entry < (starts[at + 1] ?? 0); entry++) {
          const row = rows[entry] ?? 0;
          scores[row] = (scores[row] ?? 0) + (weights[entry] ?? 0) * (vector.sparse.weights[i] ?? 0);
        }
      });
      scores.forEach((similarity, row) => {
        const key = keys[row];
        if (key && (method === null || methods[row] === method)) matches.push({ collectionId, key, similarity });
      });
    }
    return { matches: matches.sort((a, b) => b.similarity - a.similarity).slice(0, limit), isFallback: false };
  },
  async check() {
    await blocks.changedSince(Number.MAX_SAFE_INTEGER, 'none', 1);
  },
});
