import type { Embedder } from '@portico/domain';
import { createLexicalEmbedder } from '@portico/embedder';
import { createWordVectorEmbedder } from '@portico/word-vectors';

/**
 * Those of this version, the current one first. The others were current in earlier versions: after an update searches
 * use them until everything is embedded with the current one. One may go when no version that is upgraded from had it.
 */
const makers: readonly [() => Embedder, ...(() => Embedder)[]] = [createWordVectorEmbedder, createLexicalEmbedder];

export const builtInEmbedders = (): readonly [current: Embedder, ...earlier: Embedder[]] => {
  const [current, ...earlier] = makers;
  return [current(), ...earlier.map((make) => make())];
};
