import type { Principal } from '../../access/principal.ts';
import { PorticoError } from '../../errors.ts';
import type { Ports } from '../../ports/index.ts';
import { createQueryCache } from './query-cache.ts';
import { findServingEmbedder } from './find-serving-embedder.ts';
import { createNameCache } from './name-cache.ts';
import type { WithVisibleSets } from './visible-sets.ts';
import type { EmbeddedTexts } from '../../search/embedding.ts';
import { rank, type SearchResults } from '../../search/search-result.ts';
import type { WithUsageCounter } from '../../usage/usage-counter.ts';

type RequiredPorts = WithVisibleSets & Pick<Ports, 'collections' | 'embedder' | 'earlierEmbedders' | 'vectors'>;

/**
 * Returns the nearest collections among those that the caller may see, best first. Hidden collections influence neither
 * results nor scores, because they are excluded before ranking; so are retired ones. The query is embedded by the model that all processes
 * search with. If this process does not have that model, for example after a change of the model on an Ollama server,
 * it uses its current one, and finds the collections that are already embedded with it. Queries are cached with their
 * vectors.
 */
export const searchCollections = (ports: RequiredPorts & WithUsageCounter) => {
  const search = createSearch(ports);
  return async (principal: Principal, query: string, limit: number): Promise<SearchResults> => {
    const results = await search(principal, query, limit);
    ports.uses.count(principal, 'search', null);
    return results;
  };
};

const createSearch = (ports: RequiredPorts) => {
  const readNames = createNameCache(ports);
  const embedCached = createQueryCache<EmbeddedTexts>(({ vectors }) => vectors[0]?.byteLength ?? 0);
  return async (principal: Principal, query: string, limit: number): Promise<SearchResults> => {
    const { ids: candidateIds, deprecatedIds } = await ports.visibleSets(principal);
    if (candidateIds.length === 0) return { results: [], isFallback: false };
    const { searchModel } = principal.epochs;
    const { modelId, vectors } = await embedCached(searchModel, query, async () =>
      (await findServingEmbedder(ports, searchModel)).embed([query], 'query'),
    );
    const [vector] = vectors;
    if (!vector) throw new PorticoError('embedding_unavailable');
    const asOf = principal.epochs.embeddings;
    const { matches, isFallback } = await ports.vectors.search({ modelId, vector, candidateIds, limit, asOf });
    const ids = matches.map(({ collectionId }) => collectionId);
    const names = await readNames(ids, principal.epochs.catalog);
    return { results: rank(matches, names, deprecatedIds).slice(0, limit), isFallback };
  };
};
