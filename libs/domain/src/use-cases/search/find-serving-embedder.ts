import { isPorticoError } from '../../errors.ts';
import type { Embedder, Ports } from '../../ports/index.ts';

/**
 * Returns the embedder of the model that searches use if this process has it, or else the process's current one. Does
 * not request the current model's id: the model may be on a server, and it is used for any other model anyway.
 */
export const findServingEmbedder = async (
  { embedder, earlierEmbedders }: Pick<Ports, 'embedder' | 'earlierEmbedders'>,
  serving: string | null,
): Promise<Embedder> => {
  for (const earlierEmbedder of earlierEmbedders)
    if ((await earlierEmbedder.getModelId()) === serving) return earlierEmbedder;
  return embedder;
};

/** Returns null instead of the id of a model while its server is unavailable. */
export const returnNullIfUnavailable = (error: unknown): null => {
  if (isPorticoError(error, 'embedding_unavailable')) return null;
  throw error;
};
