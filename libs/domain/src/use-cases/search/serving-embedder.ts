import { isPorticoError } from '../../errors.ts';
import type { Embedder, Ports } from '../../ports/index.ts';

/**
 * The embedder of the model that searches use, if this process has it, else its current one. The current one is not
 * asked for its id: it may be on a server, and is used for any other model as well.
 */
export const servingEmbedder = async (
  { embedder, earlierEmbedders }: Pick<Ports, 'embedder' | 'earlierEmbedders'>,
  serving: string | null,
): Promise<Embedder> => {
  for (const earlier of earlierEmbedders) if ((await earlier.modelId()) === serving) return earlier;
  return embedder;
};

/** For a model whose id is not known while its server is away. */
export const unlessAway = (error: unknown): null => {
  if (isPorticoError(error, 'embedding_unavailable')) return null;
  throw error;
};
