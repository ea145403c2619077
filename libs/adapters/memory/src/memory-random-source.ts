import type { RandomSource } from '@portico/domain';

/**
 * Creates a deterministic source: the same seed gives the same sequence. For tests only, because the sequence is
 * predictable.
 */
export const createMemoryRandomSource = (seed = 1): RandomSource => {
  const generateWord = createMulberry32(seed);
  const generateBytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => generateWord() & 0xff);
  return { bytes: generateBytes, uuid: () => uuidOf(generateBytes(16)) };
};

/** Creates a Mulberry32 generator, which generates 32-bit words from a 32-bit state. Accepts any seed. */
const createMulberry32 = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return (word ^ (word >>> 14)) >>> 0;
  };
};

/** Returns a UUID of version 4 and variant 10 (RFC 9562, section 5.4). */
const uuidOf = (random: Uint8Array): string => {
  const uuidBytes = random.map((byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    return index === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  const hex = Buffer.from(uuidBytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
