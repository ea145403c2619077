import { embeddingDimension, PorticoError } from '@portico/domain';
import type { Embedder } from '@portico/domain';

/** The reference with a switch, to see what happens when embedding fails. */
export interface MemoryEmbedder extends Embedder {
  /** From now on everything raises `embedding_unavailable`. */
  interrupt(): void;
  /** Ends what `interrupt` began. */
  resume(): void;
}

/** Counts words: each adds 1 to the dimension that its hash names, and the sum is brought to length 1. */
export const createMemoryEmbedder = (): MemoryEmbedder => {
  let interrupted = false;
  const available = (): void => {
    if (interrupted) {
      throw new PorticoError('embedding_unavailable');
    }
  };
  return {
    async modelId() {
      return 'memory-words-1';
    },
    async embed(texts) {
      available();
      return texts.map(embedText);
    },
    async check() {
      available();
    },
    interrupt() {
      interrupted = true;
    },
    resume() {
      interrupted = false;
    },
  };
};

const embedText = (text: string): Float32Array => {
  const counts = new Float32Array(embeddingDimension);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    const dimension = fnv1a(word) % embeddingDimension;
    counts[dimension] = (counts[dimension] ?? 0) + 1;
  }
  const length = Math.sqrt(counts.reduce((sum, count) => sum + count * count, 0));
  return counts.map((count) => count / length);
};

/** FNV-1a over UTF-16 code units, 32 bits. */
const fnv1a = (word: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash;
};
