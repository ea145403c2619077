import { randomUUID } from 'node:crypto';
import type { Cipher } from '@portico/domain';

/** Keeps the texts itself and gives out names for them. */
export const createMemoryCipher = (): Cipher => {
  const kept = new Map<string, { readonly text: string; readonly context: string }>();
  return {
    seal(text, context) {
      assertWellFormed(text);
      assertWellFormed(context);
      const name = randomUUID();
      kept.set(name, { text, context });
      return name;
    },
    open(sealed, context) {
      assertWellFormed(context);
      const found = kept.get(sealed);
      if (found?.context !== context) throw new Error('This was not sealed here for this context');
      return found.text;
    },
    isCurrent: (sealed) => kept.has(sealed),
  };
};

const assertWellFormed = (text: string): void => {
  if (!text.isWellFormed()) throw new RangeError('A lone surrogate cannot be kept');
};
