const dimension = 768;

export type Random = () => number;

/** Generates the same numbers between 0 and 1 for the same seed (mulberry32). */
export const randomNumbers = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
};

const normal = (random: Random): number => random() + random() + random() + random() - 2;
const dense = (random: Random, offset: number): Float32Array =>
  Float32Array.from({ length: dimension }, (_, i) => normal(random) + offset * Math.sin(i));
/**
 * Creates a vector in which the first third is dense and only a few of the other components are not 0, as in the built-in
 * embedder's vectors.
 */
const sparse = (random: Random): Float32Array => {
  const vector = Float32Array.from({ length: dimension }, (_, i) => (i < 256 ? normal(random) : 0));
  for (let i = 0; i < 12; i += 1) vector[256 + Math.floor(512 * random())] = 3 * normal(random);
  return vector;
};
const axis = (random: Random): Float32Array => {
  const vector = new Float32Array(dimension);
  vector[Math.floor(dimension * random())] = random() < 0.5 ? -1 : 1;
  return vector;
};

/** Each function creates a generator for the vectors of one set and for the queries of that set. */
export const vectorSets: Readonly<Record<string, (random: Random) => (isQuery: boolean) => Float32Array>> = {
  'without a direction': (random) => () => dense(random, 0),
  'that are all near each other': (random) => () => dense(random, 4),
  'mostly zeros': (random) => () => sparse(random),
  'along the axes': (random) => () => axis(random),
  'of few kinds, many of which are equal': (random) => {
    const kinds = Array.from({ length: 40 }, () => sparse(random));
    return () => kinds[Math.floor(kinds.length * random() ** 2)] ?? axis(random);
  },
  'that are almost equal': (random) => {
    const center = dense(random, 1);
    return () => center.map((x) => x + 1e-3 * normal(random));
  },
  'that 8 bits do not distinguish': (random) => {
    const center = dense(random, 1);
    return () => center.map((x) => x + 1e-6 * normal(random));
  },
  // All vectors have the same length and the same 8-bit components, except for one, which queries ignore. The
  // rounding errors of all other components have the same direction as the query.
  'with the greatest rounding error in 8 bits': (random) => (isQuery) => {
    const component = 3 + 0.998 * (random() - 0.5);
    const secondComponent = isQuery ? 0 : Math.sqrt(9_500 - (dimension - 2) * component ** 2);
    return Float32Array.from({ length: dimension }, (_, i) => (isQuery ? 1 : i === 0 ? 127 : component)).fill(
      secondComponent,
      1,
      2,
    );
  },
  'of any length': (random) => () => {
    const length = 10 ** (36 * random() - 18);
    return dense(random, 1).map((x) => x * length);
  },
  'that are opposite to each other': (random) => () => {
    const sign = random() < 0.9 ? -1 : 1;
    return dense(random, 3).map((x) => x * sign);
  },
};
