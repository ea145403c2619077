import { embeddingDimension, PorticoError, TextRefusedError } from '@portico/domain';
import type { Embedder } from '@portico/domain';

/** The reference with a switch, to see what happens when embedding fails. */
export interface MemoryEmbedder extends Embedder {
  /** From now on everything throws `embedding_unavailable`. */
  interrupt(): void;
  /** Ends what `interrupt` began. */
  resume(): void;
  /** From now on its next version embeds, which makes other vectors. */
  change(): void;
  /** From now on no try embeds this document. */
  refuse(text: string): void;
}

/** Counts words: each adds 1 to the dimension that its hash names, and the sum is brought to length 1. */
export const createMemoryEmbedder = (): MemoryEmbedder => {
  let interrupted = false;
  let version = 1;
  const refused = new Set<string>();
  const nameOf = (): string => `memory-words-${version}`;
  const available = (): void => {
    if (interrupted) {
      throw new PorticoError('embedding_unavailable');
    }
  };
  return {
    async modelId() {
      return nameOf();
    },
    async embed(texts, purpose) {
      available();
      const isRefused = purpose === 'document' && texts.some((text) => refused.has(text));
      if (isRefused) throw new TextRefusedError('A text is one that is refused');
      return { modelId: nameOf(), vectors: texts.map((text) => embedText(text, version)) };
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
    change() {
      version += 1;
    },
    refuse(text) {
      refused.add(text);
    },
  };
};

/** Each version has its own hash of a word, so that vectors of two versions have nothing to do with each other. */
const embedText = (text: string, version: number): Float32Array => {
  const counts = new Float32Array(embeddingDimension);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    const dimension = fnv1a(version === 1 ? word : `${version} ${word}`) % embeddingDimension;
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
