import type { Principal } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { Ports } from '../../ports/index.ts';
import { rank, type SearchAnswer } from '../../search/search-result.ts';
import { createVisibleSets } from './visible-sets.ts';

type Needs = Pick<Ports, 'collections' | 'embedder' | 'vectors'>;

/**
 * Returns the nearest of the collections that the caller may see, best first. Hidden collections influence neither
 * results nor scores, because they are left out before anything is ranked.
 */
export const searchCollections = (ports: Needs) => {
  const visibleSets = createVisibleSets(ports);
  return async (principal: Principal, query: string, limit: number): Promise<SearchAnswer> => {
    const among = await visibleSets(principal);
    if (among.length === 0) return { results: [], isFallback: false };
    const { modelId, vectors } = await ports.embedder.embed([query], 'query');
    const [vector] = vectors;
    if (!vector) throw new PorticoError('embedding_unavailable');
    const asOf = principal.epochs.embeddings;
    const { matches, isFallback } = await ports.vectors.search({ modelId, vector, among, limit, asOf });
    const names = await ports.collections.names(matches.map((match) => match.collectionId));
    return { results: rank(matches, names).slice(0, limit), isFallback };
  };
};
