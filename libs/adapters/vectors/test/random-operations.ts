import type { CollectionId, HybridVector, IndexedOperation, OperationKey } from '@portico/domain';

/** Generates numbers from 0 up to 1, which are the same in each run (a linear congruential generator). */
const randomNumbers = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

export const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as CollectionId;
export const keyOf = (number: number) => String(number).padStart(16, '0') as OperationKey;
const methods = ['GET', 'POST', 'DELETE'];

/** Creates a generator of vectors and operations, which are always the same for the same seed. */
export const createGenerator = (seed: number, dimension: number) => {
  const random = randomNumbers(seed);
  const vector = (features: number): HybridVector => {
    const indices = [...new Set(Array.from({ length: features }, () => Math.floor(random() ** 3 * 500)))];
    return {
      dense: Float32Array.from({ length: dimension }, () => random() - 0.5),
      sparse: {
        indices: Uint32Array.from(indices.sort((x, y) => x - y)),
        weights: Float32Array.from(indices, () => random()),
      },
    };
  };
  const operations = (count: number): readonly IndexedOperation[] =>
    Array.from({ length: count }, (_, i) => ({
      key: keyOf(i),
      method: methods[i % 3] ?? '',
      vector: vector(Math.floor(random() * 30)),
    }));
  return { vector, operations };
};
