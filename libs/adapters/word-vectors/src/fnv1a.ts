const offsetBasis = 0x811c9dc5;

/** Returns the FNV-1a hash of UTF-16 code units; `previousHash` is the hash of the preceding text, or a seed. */
export const fnv1a = (text: string, start: number, end: number, previousHash = offsetBasis): number => {
  let hash = previousHash;
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
};

/** Mixes all bits of a hash, like the finalizer of MurmurHash3. Returns an unsigned 32-bit number. */
export const mixBits = (hash: number): number => {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
};
