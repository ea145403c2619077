import { nameLength, type PackedLayout } from '@portico/domain';

/** What a block in the memory begins with: a multiple of 16 bytes. */
const headerLength = 48;

/**
 * Where the parts of a block in the memory begin, in bytes from its address on. They are those of packed operations, in
 * the order in which a search reads them; `block-kernel.wat` says what each has.
 */
export interface BlockLayout {
  readonly count: number;
  readonly dimension: number;
  readonly featureCount: number;
  readonly entryCount: number;
  /** How many of the upper bits of a feature tell its bucket. */
  readonly bucketBits: number;
  readonly rows: number;
  readonly fours: number;
  readonly features: number;
  readonly starts: number;
  readonly buckets: number;
  readonly names: number;
  readonly entries: number;
  /** Of the whole, a multiple of 16. */
  readonly size: number;
}

/** On average a bucket has at least so many features, and less than twice as many: 16 are compared at once. */
const featuresOfABucket = 6;

export const layoutOf = ({ count, dimension, featureCount, entryCount }: PackedLayout): BlockLayout => {
  const bucketBits = Math.max(1, Math.floor(Math.log2(featureCount / featuresOfABucket)));
  const rows = headerLength;
  const fours = rows + count * dimension;
  const features = fours + 32 * Math.ceil(count / 4);
  const starts = features + 4 * featureCount;
  const buckets = starts + 4 * (featureCount + 1);
  const names = buckets + 4 * (2 ** bucketBits + 1);
  const entries = names + count * nameLength;
  const size = 16 * Math.ceil((entries + 6 * entryCount) / 16);
  const counts = { count, dimension, featureCount, entryCount, bucketBits };
  return { ...counts, rows, fours, features, starts, buckets, names, entries, size };
};
